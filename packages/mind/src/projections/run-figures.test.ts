import { describe, expect } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import type { Recorded } from '../part/projection.ts';
import { recentWork } from './recent-work.ts';
import { runFigures } from './run-figures.ts';

const label = { source: { kind: 'Task' }, trust: 'Trusted', readers: 'Principal' } as const;
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

type Call = readonly [tool: string, status: string, exitCode?: number];

/** Calls of one cycle, oldest first, and how many of code ended before their program began. */
const failing: readonly (readonly [string, readonly Call[], number])[] = [
  ['no calls', [], 0],
  ['code that ran', [['bash', 'Ok', 0]], 0],
  ['code that ran and failed', [['run_code', 'Error', 1]], 0],
  [
    'code that never began',
    [
      ['run_code', 'Error'],
      ['bash', 'TimedOut'],
    ],
    2,
  ],
  [
    'code that ran at last',
    [
      ['bash', 'Error'],
      ['bash', 'Error', 2],
    ],
    0,
  ],
  [
    'other tools in between',
    [
      ['bash', 'Error'],
      ['read_file', 'Error'],
      ['read_file', 'Ok'],
      ['bash', 'Error'],
    ],
    2,
  ],
  [
    'calls that a gate refused, or a person ended',
    [
      ['bash', 'Error'],
      ['bash', 'Unrun'],
      ['bash', 'Cancelled'],
    ],
    1,
  ],
];

describe('the newest work', () => {
  for (const [what, calls, expected] of failing)
    verifies('sensorium:place', `counts ${expected} failed calls of code in a row after ${what}`, () => {
      const state = recentWork.start();
      const concluded = calls.map(([tool, status, exitCode]) => ({
        tool,
        status,
        ...(exitCode === undefined ? {} : { exitCode }),
      }));
      const take = (kind: string, payload: object): void =>
        recentWork.take(state, { store: 'run', kind, seq: 1, timeMs: 1, runId: 'r', payload } as unknown as Recorded);
      take('RunAdmitted', {});
      take('CycleConcluded', { atMs: 1234, cycleId: 'r-c1', outcome: 'Replied', rejections: [], calls: concluded });
      expect([state.codeFailedInRow, state.cycleEndedAtMs]).toEqual([expected, 1234]);
      const kept = recentWork.keep(state);
      const restored = recentWork.start();
      if (kept !== undefined) expect(recentWork.restore(restored, JSON.parse(JSON.stringify(kept)))).toBe(true);
      expect([restored.codeFailedInRow, restored.cycleEndedAtMs]).toEqual([expected, 1234]);
    });
});
