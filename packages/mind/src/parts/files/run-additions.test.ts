import { describe, expect } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { files } from './files.ts';
import { additions, type RunAdditions } from './run-additions.ts';

type Event = readonly [kind: string, payload: Record<string, unknown>, runId?: string];

const added = (callId: string, amount: number, runId = 'r', scratch?: readonly string[]): Event => [
  'ProgramAdded',
  { callId, files: amount, bytes: 10 * amount, ...(scratch === undefined ? {} : { scratch }) },
  runId,
];
/** As records are that are older than `ProgramAdded`. */
const recorded: Event = [
  'FileRecorded',
  { path: 'f', digest: 'a'.repeat(64), sizeBytes: 1, trusted: true, why: 'Program', callId: 'c1' },
];

function folded(events: readonly Event[]): ReadonlyMap<string, RunAdditions> {
  const state = additions.start();
  const known = files.start();
  for (const [seq, [kind, payload, runId = 'r']] of events.entries()) {
    const record = { store: 'file', kind, seq, timeMs: seq, payload: payload as never, runId };
    additions.take(state, record);
    files.take(known, record);
  }
  return state;
}

describe('what programs of a run added', () => {
  const table: readonly (readonly [what: string, events: readonly Event[], files: number | undefined])[] = [
    ['nothing is recorded', [], undefined],
    ['an older version recorded each file alone', [recorded], undefined],
    ['one call is recorded', [added('c1', 2)], 2],
    ['several are', [added('c1', 2), recorded, added('c2', 3)], 5],
    ['one is recorded again after a crash', [added('c1', 2), added('c1', 2)], 2],
    ['another run added more', [added('c1', 2), added('c9', 7, 's')], 2],
    ['scratch was cleared', [added('c1', 2), ['ScratchCleared', { directories: [], files: 2, bytes: 20 }]], 2],
  ];
  for (const [what, events, count] of table)
    verifies('sandbox:room-of-the-run', `where ${what}`, () => {
      const of = folded(events).get('r');
      expect([of?.files, of?.bytes]).toEqual([count, count === undefined ? undefined : 10 * count]);
    });

  verifies('sandbox:scratch-cleared', 'has the directories that they made', () => {
    const state = folded([added('c1', 1, 'r', ['.cache']), added('c2', 1, 'r', ['.cache', 'a/.tmp'])]);
    expect([...(state.get('r')?.scratch ?? [])]).toEqual(['.cache', 'a/.tmp']);
  });
});
