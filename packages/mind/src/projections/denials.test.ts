import { describe, expect } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import type { GateRejection } from '../cycle/state.ts';
import type { RunCause } from '../run/run-cause.ts';
import { deniedBefore, denials, takeDenials, type Denials } from './denials.ts';

const denial = (subjectDigest: string, reason = 'ada denied it: not now'): GateRejection => ({
  ...({ gate: 'Tool', rule: 'approval/denied', reason, subjectDigest } as const),
});

const ownJob: RunCause & { kind: 'Job' } = { kind: 'Job', jobId: 'j', momentMs: 1, maker: 'Agent' };

/** The call `d1` in a run, with what cycles under way were refused. */
function asked(
  state: Denials,
  cause: RunCause,
  open: Readonly<Record<string, readonly GateRejection[]>> = {},
): ReturnType<typeof deniedBefore> {
  const underWay = {
    openRuns: () => [{ spec: { runId: 'now', cause } }],
    openCycles: () => Object.entries(open).map(([runId, rejections]) => ({ spec: { runId }, rejections })),
  };
  return deniedBefore(state, underWay, { runId: 'now', argumentsDigest: 'd1' });
}

const past = (): Denials => {
  const state = denials.start();
  takeDenials(state, 'before', [denial('d1')]);
  return state;
};

describe('what people refused', () => {
  const told = { call: 'ada denied it: not now' };

  verifies('jobs:never-what-was-refused', 'binds runs of jobs that the agent made, and no others', () => {
    expect(asked(past(), ownJob)).toEqual(told);
    expect(asked(past(), { ...ownJob, maker: 'Person' })).toEqual({});
    expect(asked(past(), { kind: 'Task' })).toEqual({});
    expect(asked(denials.start(), ownJob)).toEqual({});
  });

  verifies('jobs:never-what-was-refused', 'counts from the answer on, in cycles under way, too', () => {
    expect(asked(denials.start(), ownJob, { other: [denial('d1')] })).toEqual(told);
    expect(asked(denials.start(), ownJob, { other: [denial('d2')] })).toEqual({});
    const timedOut = { ...denial('d1'), rule: 'approval/timed-out' };
    expect(asked(denials.start(), ownJob, { other: [timedOut] })).toEqual({});
  });

  verifies('jobs:none-after-denial', 'is known of a run from its first denial on', () => {
    expect(asked(denials.start(), { kind: 'Task' }, { now: [denial('d2')] })).toEqual({ inRun: true });
    const state = denials.start();
    takeDenials(state, 'now', [denial('d2')]);
    expect(asked(state, { kind: 'Task' })).toEqual({ inRun: true });
  });

  verifies('jobs:never-what-was-refused', 'is the newest ten thousand, over restarts', () => {
    const state = past();
    for (let at = 0; at < 9_999; at += 1) takeDenials(state, `r${at}`, [denial(`x${at}`)]);
    const kept = denials.keep(state);
    const restored = denials.start();
    expect(kept !== undefined && denials.restore(restored, kept)).toBe(true);
    expect(restored).toEqual(state);
    expect(asked(restored, ownJob)).toEqual(told);
    takeDenials(restored, 'last', [denial('x-last')]);
    expect(asked(restored, ownJob)).toEqual({});
    expect(restored.byDigest.size).toBe(10_000);
  });
});
