import type { RecalledCase } from '@retainer/contract/wire/bus/recalled-case';
import type { Plan } from '../request/answers/plan.ts';
import { describe, expect } from 'vitest';
import { perceived, scenarios } from '../../../../test/support/run-scenarios.ts';
import { RunWorld, type Mind } from '../../../../test/support/run-world.ts';
import { verifies } from '../../../../test/verifies.ts';
import { caseCredit } from './case-credit.ts';

const found = (id: string): RecalledCase => ({
  id,
  problem: `the problem of ${id}`,
  lesson: `the lesson of ${id}`,
  category: 'Strategy',
  outcome: 'Success',
  score: 0.5,
  signals: { adaptive: 0.5 },
  matched: [],
  avoid: false,
});

const scenarioOf = (name: string) => scenarios.find((it) => it.name === name) ?? scenarios[0];

/** Its plans cite these lines of memory. */
function citing(mind: Mind, basedOn: readonly string[]): Mind {
  return (purpose, cycle) => {
    if (purpose.role === 'Perceiver') return perceived('Plan');
    const thinking = mind(purpose, cycle);
    if (purpose.role !== 'Planner' || cycle.structured !== 'Plan') return thinking;
    const plan = thinking?.value as Plan;
    return { value: { ...plan, subtasks: plan.subtasks.map((it) => ({ ...it, basedOn: [...basedOn] })) } };
  };
}

/** What a run of a scenario makes of the cases `a` and `b`. */
function credited(name: string, change: (mind: Mind) => Mind = (mind) => mind): ReturnType<typeof caseCredit> {
  const scenario = scenarioOf(name);
  if (scenario === undefined) throw new Error('there are no scenarios');
  const mind = change(scenario.mind);
  const { state } = new RunWorld({ ...scenario, mind, cases: [found('a'), found('b')] }).play();
  return caseCredit(state);
}

describe('the credit of the cases that a run was told', () => {
  verifies('recall:credit', 'is for all of them where a single step is shown them and cites nothing', () => {
    const both = { shown: true, cited: true, outcome: 'Success' };
    expect(credited('plain')).toEqual([
      { caseId: 'a', ...both },
      { caseId: 'b', ...both },
    ]);
  });

  verifies('recall:credit', 'is for those that the plan cites', () => {
    expect(credited('plain', (mind) => citing(mind, ['m2']))).toEqual([
      { caseId: 'a', shown: true, cited: false, outcome: 'Success' },
      { caseId: 'b', shown: true, cited: true, outcome: 'Success' },
    ]);
  });

  verifies('recall:credit', 'is a failure after an abandoned run, once, however many rounds were told of it', () => {
    expect(credited('abandoned', (mind) => citing(mind, ['m1']))).toEqual([
      { caseId: 'a', shown: true, cited: true, outcome: 'Failure' },
      { caseId: 'b', shown: true, cited: false, outcome: 'Failure' },
    ]);
  });

  verifies('recall:credit', 'is none where no plan came of it', () => {
    const noPlan: Mind = (purpose, cycle) =>
      purpose.role === 'Planner'
        ? { outcome: 'Failed', reason: 'no answer' }
        : citing(scenarioOf('plain')?.mind ?? (() => undefined), [])(purpose, cycle);
    expect(credited('plain', () => noPlan).filter(({ shown, cited }) => shown || cited)).toEqual([]);
  });

  verifies('recall:credit', 'is none in a run that a person stopped, nor where nothing was recalled', () => {
    const scenario = scenarioOf('plain');
    if (scenario === undefined) throw new Error('there are no scenarios');
    const stop = {
      atMs: 1_500,
      input: { kind: 'RunCancelled', atMs: 1_500, by: 'human:ada', reason: 'enough' },
    } as const;
    const stopped = new RunWorld({ ...scenario, cases: [found('a')], happenings: [stop] }).play();
    expect([stopped.concluded.outcome, caseCredit(stopped.state)]).toEqual(['Cancelled', []]);
    expect(caseCredit(new RunWorld(scenario).play().state)).toEqual([]);
  });
});
