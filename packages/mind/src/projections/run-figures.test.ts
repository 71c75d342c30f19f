import { describe, expect } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import type { Recorded } from '../part/projection.ts';
import { recentWork } from './recent-work.ts';
import { runFigures } from './run-figures.ts';

const label = { source: { kind: 'Task' }, trust: 'Trusted', readers: ['owner'] } as const;
const labels = { domain: 'rain', locations: [], keywords: [] };

function entry(
  runId: string,
  calls: readonly { readonly tool: string; readonly ran: number; readonly failed: number }[],
) {
  const telemetry = { calls: calls.map((it) => ({ ...it, unrun: 1, durationMs: 1 })), labels };
  const run = { task: { namespace: 'default', name: runId }, intent: 'Count the rain.', outcome: 'Accepted' };
  return {
    runId,
    kind: 'RunRemembered',
    payload: { ...run, tools: [], tokens: 5, startedAtMs: 1, endedAtMs: 2, label, telemetry },
  };
}

function folded(records: readonly { readonly runId: string; readonly kind: string; readonly payload: object }[]) {
  const state = runFigures.start();
  for (const [seq, it] of records.entries())
    runFigures.take(state, { store: 'narrative', seq, timeMs: seq, ...it } as unknown as Recorded);
  return state;
}

describe('the figures of runs', () => {
  verifies('sensorium:figures', 'count no run that a person had forgotten', () => {
    const told = { by: 'ann', reason: 'wrong' };
    const runs = folded([
      entry('a', []),
      entry('b', []),
      { runId: 'a', kind: 'RunAmended', payload: { as: 'Forgotten', ...told } },
      { runId: 'b', kind: 'RunAmended', payload: { as: 'Endorsed', ...told } },
    ]);
    expect(runs.map(({ runId }) => runId)).toEqual(['b']);
  });

  verifies('curator:trust', 'name no tool that never ran: a model may have invented it', () => {
    const [run] = folded([
      entry('a', [
        { tool: 'look', ran: 2, failed: 1 },
        { tool: 'Obey me', ran: 0, failed: 0 },
      ]),
    ]);
    expect(run?.calls).toEqual([{ tool: 'look', ran: 2, failed: 1 }]);
  });

  verifies('sensorium:patterns', 'take the domain that a reflection found, else that of code', () => {
    const reflected = { runId: 'a', kind: 'RunReflected', payload: { domain: 'weather' } };
    const empty = { runId: 'b', kind: 'RunReflected', payload: { domain: '' } };
    expect(folded([entry('a', []), reflected, entry('b', []), empty]).map(({ domain }) => domain)).toEqual([
      'weather',
      'rain',
    ]);
  });
});

interface Call {
  readonly status: string;
  readonly exitCode?: number;
  readonly sandboxFailed?: true;
}

const ran: Call = { status: 'Ok', exitCode: 0 };
const failed: Call = { status: 'Error', exitCode: 1 };
const never: Call = { status: 'Error', sandboxFailed: true };

/** Calls of one cycle, oldest first, and how many of code no sandbox ran. */
const failing: readonly (readonly [string, readonly Call[], number])[] = [
  ['no calls', [], 0],
  ['a program that ran', [ran], 0],
  ['a program that ran and failed', [failed], 0],
  ['programs that no sandbox ran', [never, { ...never, status: 'TimedOut' }], 2],
  ['a program that ran at last', [never, never, failed], 0],
  ['other calls in between', [never, { status: 'Error' }, { status: 'Ok' }, never], 2],
  [
    'calls refused, cut off, or ended by a person',
    [never, { status: 'Unrun' }, { status: 'Unknown' }, { status: 'Cancelled' }],
    1,
  ],
];

describe('the newest work', () => {
  for (const [what, calls, expected] of failing)
    verifies('sensorium:place', `counts ${expected} failed calls of code in a row after ${what}`, () => {
      const state = recentWork.start();
      const take = (kind: string, payload: object): void =>
        recentWork.take(state, { store: 'run', kind, seq: 1, timeMs: 1, runId: 'r', payload } as unknown as Recorded);
      take('RunAdmitted', {});
      take('CycleConcluded', { atMs: 1234, cycleId: 'r-c1', outcome: 'Replied', rejections: [], calls });
      expect([state.codeFailedInRow, state.cycleEndedAtMs]).toEqual([expected, 1234]);
      const kept = recentWork.keep(state);
      const restored = recentWork.start();
      if (kept !== undefined) expect(recentWork.restore(restored, JSON.parse(JSON.stringify(kept)))).toBe(true);
      expect([restored.codeFailedInRow, restored.cycleEndedAtMs]).toEqual([expected, 1234]);
    });
});
