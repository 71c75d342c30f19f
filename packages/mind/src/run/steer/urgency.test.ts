import { AgentControl } from '@retainer/contract/api/agent-control';
import { describe, expect, it } from 'vitest';
import { judged, planned, scenarios } from '../../../../../test/support/run-scenarios.ts';
import { RunWorld, type Mind } from '../../../../../test/support/run-world.ts';
import { rolePart } from '../../../../../test/support/runs.ts';
import { met, outcome, replanRequest, steerContext, unmet } from '../../../../../test/support/steer-rounds.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { steerReplan } from './steer.ts';
import { initialSteerState, type SteerState } from './steer-state.ts';
import { plannerModel, retriesMax } from './urgency.ts';

const on = AgentControl.parse({ urgency: true });
const off = AgentControl.parse({});
const kept = { subtaskId: 'r-r1-s9', round: 1, intent: 'earlier', output: 'from before' };
/** A round with one part done and one not, after one with this loss. */
const steered = (control: AgentControl, lPrevious: number): ReturnType<typeof steerReplan> =>
  steerReplan(
    { ...initialSteerState, rounds: 1, lPrevious, qPrevious: lPrevious, salvage: [kept] },
    replanRequest([outcome(0, [met(1)]), outcome(1, [unmet(1)])]),
    { ...steerContext(), control },
  );
const told = (result: ReturnType<typeof steerReplan>): unknown => {
  const { message, state } = result;
  if (message.type !== 'PlanDirective') throw new Error('the run ended');
  const { urgency, salvage } = message.payload;
  return { urgency, handed: salvage.map((it) => it.intent), kept: state.salvage.map((it) => it.intent) };
};
const FALLING = 0.95;
const RISING = 0.1;

describe('a round that failed', () => {
  const [fresh] = steered(on, FALLING)
    .state.salvage.slice(-1)
    .map((it: SteerState['salvage'][number]) => it.intent);

  verifies('steer:urgency', 'better than the one before: what matched is handed on, in profile Spec too', () => {
    expect(told(steered(on, FALLING))).toEqual({
      urgency: 'Improving',
      handed: ['earlier', fresh],
      kept: ['earlier', fresh],
    });
  });

  verifies('steer:urgency', 'worse: what this plan brought is dropped, what was there before it stays', () => {
    const hardened = AgentControl.parse({ urgency: true, profile: 'Hardened' });
    expect(told(steered(on, RISING))).toEqual({ urgency: 'Worsening', handed: [], kept: ['earlier'] });
    expect(told(steered(hardened, RISING))).toEqual({ urgency: 'Worsening', handed: ['earlier'], kept: ['earlier'] });
  });

  verifies('steer:urgency', 'changes no directive, and nothing at all where it is not set', () => {
    for (const lPrevious of [FALLING, RISING]) {
      expect(steered(on, lPrevious).explanation).toEqual(steered(off, lPrevious).explanation);
      expect(told(steered(off, lPrevious))).toEqual({ urgency: undefined, handed: [], kept: ['earlier', fresh] });
    }
  });
});

describe('the next round', () => {
  verifies('steer:urgency', 'has one correction more while the loss falls', () => {
    expect([retriesMax(on, 'Improving'), retriesMax(on, 'Worsening'), retriesMax(on, undefined)]).toEqual([3, 2, 2]);
    const replanned = scenarios.find((it) => it.name === 'replanned');
    if (replanned === undefined) throw new Error('there is such a scenario');
    const parts = ['A', 'B', 'C', 'D'];
    const mind: Mind = (purpose, cycle) => {
      const { role, round, subtaskId = '' } = purpose;
      if (role === 'Planner') return planned(parts.map((it) => `Read ${it}, try ${round}`));
      if (role !== 'AgentValidator') return replanned.mind({ ...purpose, round: 2 }, cycle);
      return judged(purpose, Number(subtaskId.at(-1)) <= (round === 1 ? 0 : 2));
    };
    const attempts = (control: AgentControl, round: number): number =>
      new RunWorld({ ...replanned, mind, spec: { ...replanned.spec, control } })
        .play()
        .of('CycleRequested')
        .filter(
          (it) => it.purpose.role === 'Executor' && it.purpose.round === round && it.purpose.subtaskId?.endsWith('s4'),
        ).length;
    expect([1, 2, 3].map((round) => attempts(on, round))).toEqual([3, 3, 4]);
    expect([1, 2, 3].map((round) => attempts(off, round))).toEqual([3, 3, 3]);
  });

  it.each([
    ['Fast', 'Capable', 'Worsening', { tier: 'Capable', model: 'strong' }],
    ['Fast', 'Capable', 'Improving', {}],
    ['Fast', 'Capable', undefined, {}],
    ['Capable', 'Capable', 'Worsening', {}],
    ['Fast', 'Fast', 'Worsening', {}],
  ] as const)('is planned, with a %s planner and a %s meta-validator, when %s, by', (own, judge, urgency, model) => {
    const part = rolePart();
    const roles = {
      Perceiver: part,
      Planner: { ...part, tier: own, model: 'weak' },
      Executor: part,
      AgentValidator: part,
      MetaValidator: { ...part, tier: judge, model: 'strong' },
    };
    const spec = scenarios[0]?.spec;
    if (spec === undefined) throw new Error('there are scenarios');
    expect(plannerModel({ ...spec, roles }, urgency)).toEqual(model);
  });
});
