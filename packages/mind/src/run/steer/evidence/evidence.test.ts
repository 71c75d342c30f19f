import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  call,
  criterion,
  outcome,
  replanRequest,
  steerContext,
  unmet,
} from '../../../../../../test/support/steer-rounds.ts';
import { verifies } from '../../../../../../test/verifies.ts';
import { SteerExplanation } from '../explanation.ts';
import type { RunHistory, Step } from '../parts.ts';
import { initialSteerState, type SteerContext } from '../steer-state.ts';
import { steerReplan } from '../steer.ts';
import type { Symptom, Trial } from '../trials.ts';
import { believe, type Belief, type Known } from './belief.ts';
import { lookAhead } from './outlook.ts';

const ATTEMPTS = 3;

function known(...trials: readonly (readonly [tool: string, target: string, symptom: Symptom])[]): Known {
  const all = trials.map(([tool, target, symptom]): Trial => ({ tool, target, symptom, isPartly: false }));
  return { trials: all, toolsCount: 4, isEveryToolTried: false, isEveryTargetTried: false };
}

function chanceOf({ options }: Belief, tool: string | undefined, target: string | undefined): number {
  const found = options.find((it) => it.tool === tool && it.target === target);
  if (found === undefined) throw new Error(`no option ${tool} on ${target}`);
  return found.chance;
}

describe('a belief', () => {
  verifies(
    'steer:evidence',
    'turns to the same again, another target or another tool, as the symptom speaks for it',
    () => {
      const late = believe(known(['a', 'x', 'TimedOut']), ATTEMPTS);
      const missing = believe(known(['a', 'x', 'NotThere']), ATTEMPTS);
      const wrong = believe(known(['a', 'x', 'Wrong']), ATTEMPTS);
      expect(chanceOf(late, 'a', 'x')).toBeGreaterThan(chanceOf(late, undefined, 'x'));
      expect(chanceOf(missing, 'a', undefined)).toBeGreaterThan(chanceOf(missing, undefined, 'x'));
      expect(chanceOf(wrong, undefined, 'x')).toBeGreaterThan(chanceOf(wrong, 'a', undefined));
      for (const { options } of [missing, wrong]) expect(options[0]?.chance).toBeLessThan(0.05);
    },
  );

  it('comes to doubt that the part can be done, or that anything explains it, as ways fail', () => {
    const few = believe(known(['a', 'x', 'Wrong']), ATTEMPTS);
    const many = believe(
      known(['a', 'x', 'Wrong'], ['b', 'x', 'Wrong'], ['c', 'x', 'Wrong'], ['d', 'x', 'Wrong']),
      ATTEMPTS,
    );
    expect(many.noTool + many.odd).toBeGreaterThan(few.noTool + few.odd);
  });

  it('offers another tool as long as the run has one that was not tried', () => {
    const tools = ['a', 'b', 'c', 'd'].map((tool) => [tool, 'x', 'Wrong'] as const);
    const offers = (toolsCount: number): boolean =>
      believe({ ...known(...tools), toolsCount }, ATTEMPTS).options.some((it) => it.tool === undefined);
    expect([offers(4), offers(5)]).toEqual([false, true]);
  });

  it('offers nothing untried where the planner had nothing', () => {
    const tried = { ...known(['a', 'x', 'Wrong']), isEveryToolTried: true, isEveryTargetTried: true };
    expect(believe(tried, ATTEMPTS).options.map(({ tool, target }) => [tool, target])).toEqual([['a', 'x']]);
  });

  const someTrials = fc.array(
    fc.tuple(
      fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      fc.constantFrom('x', 'y', 'z'),
      fc.constantFrom<Symptom>('TimedOut', 'NotThere', 'Wrong'),
    ),
    { maxLength: 8 },
  );

  verifies('steer:evidence', 'has probabilities, whatever was tried, in any order of the same', () => {
    fc.assert(
      fc.property(someTrials, (trials) => {
        const belief = believe(known(...trials), ATTEMPTS);
        const shares = [belief.noTool, belief.noTarget, belief.odd];
        for (const value of [...shares, ...belief.options.map((it) => it.chance)]) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
        }
        expect(shares.reduce((sum, it) => sum + it, 0)).toBeLessThanOrEqual(1 + 1e-9);
        for (const it of belief.options) expect(it.attempts).toBeLessThanOrEqual(ATTEMPTS);
      }),
      { numRuns: 50 },
    );
  });
});

describe('the outlook', () => {
  const costs = { plan: 3000, attempt: 6000, merge: 2500 };
  const part = known(['a', 'x', 'Wrong']);

  it('is better with more left, worse with more to do, and nothing without rounds', () => {
    const look = (count: number, rounds: number, tokens: number): number =>
      lookAhead(
        Array.from({ length: count }, () => part),
        costs,
        { rounds, tokens },
        ATTEMPTS,
      ).chance;
    expect(look(1, 0, 100_000)).toBe(0);
    expect(look(1, 8, 100_000)).toBeGreaterThan(look(1, 8, 20_000));
    expect(look(1, 8, 100_000)).toBeGreaterThan(look(2, 8, 100_000));
  });
});

function step(round: number, tool: string, target: string): Step {
  const attempts = [{ calls: [call(tool, target, { status: 'Ok' })], failureClass: 'Logical' as const, score: 0 }];
  return {
    subtaskId: `r${round}`,
    round,
    intent: 'do',
    criteria: [criterion('It is there')],
    attempts,
    isMatched: false,
  };
}

function contextOf(steps: readonly Step[], used: number): SteerContext {
  const history: RunHistory = {
    people: [],
    steps,
    judged: [],
    advised: [],
    used: { plan: { tokens: 3000, times: 1 }, attempt: { tokens: 6000, times: 1 }, merge: { tokens: 0, times: 0 } },
    leftMs: 500_000,
  };
  const tokens = { used, budget: 160_000 };
  return steerContext({ profile: 'Evidence' }, { history, tokens, candidateTools: ['a', 'b', 'c'] });
}

describe('profile Evidence', () => {
  const request = replanRequest([outcome(0, [unmet(1, 'Logical')])], { elapsedMs: 30_000 });

  verifies('steer:evidence', 'goes on while it is worth it, with numbers for each part in message and record', () => {
    const { message, explanation } = steerReplan(initialSteerState, request, contextOf([step(1, 'a', 'x')], 10_000));
    if (message.type !== 'PlanDirective') throw new Error('it goes on');
    expect(message.payload).toMatchObject({ directive: 'ChangeApproach', blocked: { tools: [], targets: [] } });
    const [part] = message.payload.parts ?? [];
    expect(part).toMatchObject({ criteria: ['It is there'], avoid: [{ tool: 'a', target: 'x' }] });
    expect(part?.options[0]).toMatchObject({ rank: 1, target: 'x' });
    expect(part?.why).toMatch(/chance 0\.\d+ for \d+ tokens/);
    expect(SteerExplanation.parse(explanation)).toEqual(explanation);
    expect(message.payload.rationale).toMatch(/All done within what is left: 0\.\d+, for about \d+ tokens/);
  });

  verifies('steer:evidence', 'gives up where going on costs more than it is worth, and says both', () => {
    const steps = ['x', 'y', 'z', 'u', 'v', 'w'].flatMap((target) =>
      ['a', 'b', 'c'].map((tool) => [tool, target] as const),
    );
    const tried = steps.map(([tool, target], at) => step(at + 1, tool, target));
    const { message, explanation } = steerReplan(initialSteerState, request, contextOf(tried, 10_000));
    expect(explanation).toMatchObject({ override: 'NotWorthIt', directive: 'Abandon' });
    expect(message.payload).toMatchObject({ cause: 'Distance', summary: expect.stringContaining('that is worth') });
  });

  it('gives up after three rounds in which no call says anything', () => {
    const silent = [1, 2, 3].map((round): Step => ({ ...step(round, 'a', 'x'), attempts: [] }));
    const steered = steerReplan(initialSteerState, request, contextOf(silent, 10_000));
    expect(steered.explanation).toMatchObject({ override: 'NothingTried' });
  });
});
