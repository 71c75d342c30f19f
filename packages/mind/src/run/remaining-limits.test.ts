import { describe, expect, it } from 'vitest';
import { faultless, RunWorld, type Mind, type Thinking } from '../../../../test/support/run-world.ts';
import { planned, scenarios, worked } from '../../../../test/support/run-scenarios.ts';
import { cycleSpec } from '../../../../test/support/cycles.ts';
import { rolePart, runSpec } from '../../../../test/support/runs.ts';
import { verifies } from '../../../../test/verifies.ts';
import { noUsage, totalTokens } from '../cycle/state.ts';
import { decideRun } from './decide.ts';
import type { CyclePurpose, RunEventOf, RunSpec } from './event.ts';
import { testTools } from '../../../../test/support/known-tools.ts';

const { limits } = cycleSpec();
const [plain, , replanned] = scenarios;
if (!plain || !replanned) throw new Error('there are four scenarios');

const { spec: plainSpec } = plain;

/** An executor that uses 400 tokens, 0.3 dollars and one tool call; everybody else is free. */
const costly: Mind = (purpose, spec) => {
  const free = { usage: noUsage };
  if (purpose.role !== 'Executor') return { ...plain.mind(purpose, spec), ...free };
  return { ...worked(purpose), usage: { ...noUsage, inputTokens: 300, outputTokens: 100 }, costUsd: 0.3 };
};

function asked(
  budget: NonNullable<RunSpec['budget']>,
  role: CyclePurpose['role'],
): readonly RunEventOf<'CycleRequested'>[] {
  const world = new RunWorld({ mind: costly, spec: { ...plainSpec, budget } }).play();
  return world.of('CycleRequested').filter((it) => it.purpose.role === role);
}

describe('the budget of a run', () => {
  verifies('run:budget-covers-all-cycles', 'the validator gets what the executor left', () => {
    expect(asked({ tokens: 1000, costUsd: 1, toolCalls: 5 }, 'AgentValidator')[0]?.spec.limits).toEqual({
      ...limits,
      tokens: 600,
      costUsd: 0.7,
      toolCalls: 4,
    });
  });

  it.each([{ tokens: 1_000_000 }, {}])('leaves the cycle its own limits where it names none or more: %o', (budget) => {
    expect(asked(budget, 'AgentValidator')[0]?.spec.limits).toEqual(limits);
  });

  it('does not keep a validator from judging for want of tool calls', () => {
    expect(asked({ toolCalls: 1 }, 'AgentValidator')[0]?.spec.limits.toolCalls).toBe(0);
  });

  it.each([{ tokens: 400 }, { tokens: 399 }, { costUsd: 0.3 }])(
    'ends the run unverified when it is used up: %o',
    (budget) => {
      const world = new RunWorld({ mind: costly, spec: { ...plain.spec, budget } }).play();
      expect(world.of('CycleRequested').filter((it) => it.purpose.role === 'AgentValidator')).toEqual([]);
      expect(world.concluded).toMatchObject({ outcome: 'Abandoned', criteria: [{ verdict: 'Unverified' }] });
    },
  );

  it('is shared by cycles side by side: together they may use no more than is left', () => {
    const budget = { tokens: 1000, costUsd: 1, toolCalls: 10 };
    const world = new RunWorld({ ...replanned, spec: { ...replanned.spec, budget } }).play();
    const pair = world.of('CycleRequested').filter((it) => it.purpose.role === 'Executor' && it.purpose.round === 1);
    const [first, second] = pair.map((it) => it.spec.limits.tokens);
    const before = 220;
    expect((first ?? 0) + (second ?? 0)).toBeLessThanOrEqual(1000 - before);
    expect(first).toBeGreaterThan(0);
    expect(second).toBeGreaterThan(0);
  });

  /** Four subtasks at once, whose executors end at one moment; what their validators may use. */
  const sharesOfFour = (more: object): readonly RunEventOf<'CycleRequested'>['spec']['limits'][] => {
    const budget = { tokens: 10_000, costUsd: 1 };
    const four: Mind = (purpose, spec) =>
      purpose.role === 'Planner' ? planned(['North', 'East', 'South', 'West']) : replanned.mind(purpose, spec);
    const world = new RunWorld({ mind: four, spec: { ...replanned.spec, budget }, ...more }).play();
    const validators = world.of('CycleRequested').filter((it) => it.purpose.role === 'AgentValidator');
    return validators.slice(0, 4).map((it) => it.spec.limits);
  };

  verifies('run:budget-covers-all-cycles', 'validators that begin together share what is left evenly', () => {
    const shares = sharesOfFour({ bus: faultless });
    const before = 220 + 4 * 110;
    expect(shares.map((it) => it.tokens)).toEqual([1, 2, 3, 4].map(() => (10_000 - before) / 4));
    expect(shares.map((it) => it.costUsd)).toEqual([0.25, 0.25, 0.25, 0.25]);
  });

  verifies(
    'run:budget-covers-all-cycles',
    'validators that begin one after the other get what executors left for them: none of them gets nothing',
    () => {
      const shares = sharesOfFour({});
      const ofOneExecutor = ((10_000 - 220) / 4) * 0.2;
      for (const { tokens, costUsd } of shares) {
        expect(tokens).toBeGreaterThanOrEqual(Math.floor(ofOneExecutor));
        expect(costUsd).toBeGreaterThanOrEqual(0.25 * 0.2);
      }
      expect(shares.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(10_000 - 220 - 4 * 110);
    },
  );

  verifies('run:budget-covers-all-cycles', 'what all cycles may use is never above it, whatever they plan', () => {
    const budget = { tokens: 2000 };
    const spend: Mind = (purpose, { limits: { tokens } }) => ({
      ...replanned.mind(purpose, cycleSpec()),
      usage: { ...noUsage, inputTokens: tokens },
    });
    const spec = runSpec(
      { ...replanned.spec, budget },
      ['read_file'],
      rolePart({ limits: { ...limits, tokens: 700 } }),
    );
    const world = new RunWorld({ mind: spend, spec }).play();
    expect(totalTokens(world.state.usage)).toBeLessThanOrEqual(2000);
    expect(world.concluded.outcome).toBe('Abandoned');
  });

  const stopped = { kind: 'RunCancelled', atMs: 1500, by: 'ann', reason: 'enough' } as const;
  const stoppedWorld = (givenUp?: () => Thinking | undefined): RunWorld =>
    new RunWorld({
      ...plain,
      mind: (purpose, spec) => (purpose.role === 'Executor' ? undefined : plain.mind(purpose, spec)),
      happenings: [{ atMs: stopped.atMs, input: stopped }],
      ...(givenUp === undefined ? {} : { givenUp }),
    }).play();
  const half = { ...noUsage, inputTokens: 70, outputTokens: 7 };

  verifies('run:given-up-cycles-count', 'what a cycle used before it was given up is told', () => {
    const world = stoppedWorld(() => ({ outcome: 'Cancelled', usage: half, costUsd: 0.2, takesMs: 300 }));
    expect(world.concluded).toMatchObject({ outcome: 'Cancelled', costUsd: 0.2, isCostComplete: false });
    expect(totalTokens(world.concluded.usage)).toBe(110 + 77);
  });

  verifies('run:given-up-cycles-count', 'a cycle that never says is waited for no longer than a second', () => {
    const world = stoppedWorld(() => undefined);
    expect(totalTokens(world.concluded.usage)).toBe(110);
    expect(world.concluded.isCostComplete).toBe(false);
    expect(world.of('EndsOverdue')).toHaveLength(1);
    expect(world.concluded.endedAtMs - stopped.atMs).toBeLessThan(1100);
  });

  verifies('run:given-up-cycles-count', 'it is counted once, however often it is told', () => {
    const world = stoppedWorld(() => ({ outcome: 'Cancelled', usage: half }));
    const told = world.of('CycleConcluded');
    expect(new Set(told.map((it) => it.cycleId)).size).toBe(told.length);
    for (const end of told) expect(decideRun(world.state, { ...end, atMs: 9000 }, testTools)).toEqual([]);
  });
});
