import { describe, expect, it } from 'vitest';
import { cycleSpec } from '../../../test/support/cycles.ts';
import { verifies } from '../../../test/verifies.ts';
import { noUsage } from '../cycle/state.ts';
import { decideRun } from './decide.ts';
import type { RunEvent, RunSpec } from './event.ts';
import { evolveRun } from './evolve.ts';
import type { RunState } from './state.ts';

const { limits } = cycleSpec();
const part = { tier: 'Capable' as const, model: 'm', system: [], tools: [], limits };

/** A run whose executor used 400 tokens, 0.3 dollars and one tool call. */
function executed(budget: NonNullable<RunSpec['budget']>): readonly RunEvent[] {
  const spec: RunSpec = {
    runId: 'r',
    task: { namespace: 'default', name: 'sum' },
    intent: 'Sum it.',
    input: 'Sum it.',
    criteria: [{ text: 'Right', mode: 'Verifiable', required: true }],
    autonomous: true,
    budget,
    executor: part,
    validator: part,
    characterDigest: 'c',
  };
  const outcome = { status: 'Ok' as const, text: '42', outputBytes: 2, outputSha256: '', files: [], durationMs: 1 };
  let state: RunState | undefined;
  const fold = (events: readonly RunEvent[]): readonly RunEvent[] => {
    for (const event of events) state = evolveRun(state, event);
    return events;
  };
  fold(decideRun(undefined, { kind: 'RunAdmitted', atMs: 1, spec }));
  return fold(
    decideRun(state, {
      kind: 'CycleConcluded',
      atMs: 2,
      cycleId: 'r-c1',
      role: 'Executor',
      outcome: 'Replied',
      text: '42',
      evidence: [{ callId: 't1', tool: 'look', arguments: '{}', outcome }],
      rejections: [],
      usage: { ...noUsage, inputTokens: 300, outputTokens: 100 },
      costUsd: 0.3,
      isCostComplete: true,
      modelCalls: 1,
    }),
  );
}

describe('the budget of a run', () => {
  verifies('run:budget-covers-all-cycles', 'the validator gets what the executor left', () => {
    expect(executed({ tokens: 1000, costUsd: 1, toolCalls: 5 }).at(-1)).toMatchObject({
      kind: 'CycleRequested',
      spec: { role: 'Validator', limits: { ...limits, tokens: 600, costUsd: 0.7, toolCalls: 4 } },
    });
  });

  it('leaves the cycle its own limits where it names none or more', () => {
    expect(executed({ tokens: 1_000_000 }).at(-1)).toMatchObject({ spec: { limits } });
    expect(executed({}).at(-1)).toMatchObject({ spec: { limits } });
  });

  it('does not keep a validator from judging for want of tool calls', () => {
    expect(executed({ toolCalls: 1 }).at(-1)).toMatchObject({ spec: { role: 'Validator', limits: { toolCalls: 0 } } });
  });

  it.each([{ tokens: 400 }, { tokens: 399 }, { costUsd: 0.3 }, { costUsd: 0 }])(
    'ends the run unverified when it is used up: %o',
    (budget) => {
      const events = executed(budget);
      expect(events.map((event) => event.kind)).not.toContain('CycleRequested');
      expect(events.find((event) => event.kind === 'RunConcluded')).toMatchObject({
        outcome: 'Abandoned',
        reasons: ['the budget is used up before the result could be verified'],
        summary: '42',
        criteria: [{ verdict: 'Unverified' }],
      });
    },
  );
});
