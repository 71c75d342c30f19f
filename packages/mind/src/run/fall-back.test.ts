import { describe, expect, it } from 'vitest';
import { drawn } from '../../../../test/support/cycles.ts';
import { runSpec } from '../../../../test/support/runs.ts';
import { evolveRun } from './evolve.ts';
import type { RunEventOf } from './event.ts';
import { fallbackNote, gatesWithinReach, withinReach } from './fall-back.ts';
import type { RunState } from './state.ts';

const ask = { answers: 'Schema' } as const;
const big = { tier: 'Capable', model: 'big', temperature: 0.2, ask } as const;
const small = { tier: 'Fast', model: 'small', ask } as const;
const part = { ...big, fallback: small };

/** A run in which one cycle ended so, at 1,000 ms. */
function after(end: Partial<RunEventOf<'CycleConcluded'>>, nowMs = 2000): RunState {
  const admitted = evolveRun(undefined, {
    kind: 'RunAdmitted',
    atMs: 0,
    spec: runSpec(),
    stood: { files: [], isWhole: true },
    messagePassing: 'Inline',
    ...drawn,
  });
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const concluded = {
    ...{ kind: 'CycleConcluded', atMs: 1000, cycleId: 'r-c1', outcome: 'Replied', text: '', calls: [] },
    ...{ rejections: [], usage, costUsd: 0, isCostComplete: true, modelCalls: 1, ...end },
  } as RunEventOf<'CycleConcluded'>;
  const roleCycles = new Map([['r-c1', { end: concluded } as never]]);
  return { ...admitted, roleCycles, nowMs };
}

describe('the next cycles of a run', () => {
  const fellBack = { from: 'big', to: 'small', why: 'Overloaded' } as const;

  it('begin with the other model while the first is out of reach, and with the first again later', () => {
    expect(withinReach(after({ fellBack }), part)).toEqual({ ...small, fallback: big });
    expect(withinReach(after({ fellBack }, 11 * 60_000), part)).toEqual(part);
    expect(withinReach(after({}), part)).toEqual(part);
    expect(withinReach(after({ fellBack }), big)).toEqual(big);
  });

  it('ask a plain server for nothing that it does not take, also the gates', () => {
    const plain = { answers: 'Xml', isPlain: true };
    expect(withinReach(after({ plainModel: 'small' }), part)).toEqual({ ...big, fallback: { ...small, ask: plain } });
    const gates = { scorer: small, canary: big, reader: big, timeoutMs: 1 };
    expect(gatesWithinReach(after({ plainModel: 'small' }), gates)).toEqual({
      ...gates,
      scorer: { ...small, ask: plain },
    });
  });

  it('give the gates the time that their slowest question takes, and no more than any call may take', () => {
    const gates = { scorer: small, canary: small, reader: small, timeoutMs: 60_000 };
    const modelTimeoutMs = 300_000;
    const waitMs = (work: number): number => {
      const state = after({ paces: [{ model: 'small', work, ms: 10_000 }] });
      const { Executor } = state.spec.roles;
      const limits = { ...Executor.limits, modelTimeoutMs };
      const roles = { ...state.spec.roles, Executor: { ...Executor, limits } };
      return gatesWithinReach({ ...state, spec: { ...state.spec, roles } }, gates).timeoutMs;
    };
    expect(gatesWithinReach(after({}), gates).timeoutMs).toBe(60_000);
    expect(waitMs(100_000)).toBe(60_000);
    expect(waitMs(4000)).toBeGreaterThan(60_000);
    expect(waitMs(4000)).toBeLessThan(modelTimeoutMs);
    expect(waitMs(10)).toBe(modelTimeoutMs);
  });

  it('leave a sentence for the reply', () => {
    const sentence = '\n\nNote: the model big was overloaded, so small went on in its place.';
    expect(fallbackNote(after({ fellBack }))).toBe(sentence);
    expect(fallbackNote(after({}))).toBe('');
  });
});
