import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import type { RolloutState } from '@retainer/contract/wire/rollout';
import { beginning, planRollout, RESTARTS_AT_ONCE_MAX, waveSize, WAVES, type RolloutStage } from './plan-rollout.ts';

const release = { id: 'new', image: 'agent:2' };
const moment = (step: number): string => new Date(Date.UTC(2030, 0, 1) + step * 1000).toISOString();
const started = (over: Partial<RolloutState> = {}): RolloutState => ({
  ...beginning(undefined, { release, resume: undefined, now: moment(0) }),
  ...over,
});
const failed = { type: 'Failed', reason: 'PodCrashing', message: 'crashes', before: 'agent:1' } as const;
const coming = { type: 'Coming', changesAtMs: undefined } as const;

/** One agent of the model. `fate`: what becomes of it with the release. */
interface Modelled {
  readonly key: string;
  readonly fate: 'Ready' | 'Failed' | 'Resting';
  stage: RolloutStage;
}

interface Step {
  readonly state: RolloutState;
  /** Agents that have the release, or may take it. */
  readonly reached: number;
  readonly fresh: readonly string[];
}

/** Lets a rollout go on until nothing changes. Caches lag: a grant is seen only `lag` looks later. */
function rollOut(agents: readonly Modelled[], lag: number, state = started()): readonly Step[] {
  const steps: Step[] = [];
  let granted: ReadonlySet<string> = new Set();
  let current = state;
  const age = new Map<string, number>();
  for (let step = 1; step < agents.length * (lag + 4) + 10; step += 1) {
    const plan = planRollout({ release, state: current, agents, granted, now: moment(step) });
    const fresh = [...plan.granted].filter((key) => !granted.has(key));
    const has = agents.filter(({ stage }) => ['Coming', 'Ready', 'Failed'].includes(stage.type));
    const open = agents.filter(({ key, stage }) => plan.granted.has(key) && stage.type === 'Waiting');
    steps.push({ state: plan.state, reached: has.length + open.length, fresh });
    ({ state: current, granted } = plan);
    for (const agent of agents) advance(agent, granted, age, lag);
  }
  return steps;
}

function advance(agent: Modelled, granted: ReadonlySet<string>, age: Map<string, number>, lag: number): void {
  if (agent.stage.type === 'Coming') agent.stage = agent.fate === 'Failed' ? failed : { type: 'Ready' };
  if (agent.stage.type !== 'Waiting' || !granted.has(agent.key)) return;
  const looks = (age.get(agent.key) ?? 0) + 1;
  age.set(agent.key, looks);
  if (looks > lag) agent.stage = coming;
}

const fleet = (bad: number) =>
  fc.record({
    lag: fc.nat(3),
    fates: fc.array(
      fc.oneof(
        { weight: 8, arbitrary: fc.constant('Ready' as const) },
        { weight: bad, arbitrary: fc.constant('Failed' as const) },
        { weight: 1, arbitrary: fc.constant('Resting' as const) },
      ),
      { minLength: 1, maxLength: 120 },
    ),
  });

const modelled = (fates: readonly Modelled['fate'][]): readonly Modelled[] =>
  fates.map((fate, at) => ({
    key: `team/agent-${at}`,
    fate,
    stage: { type: fate === 'Resting' ? 'Resting' : 'Waiting' },
  }));

describe('a rollout', () => {
  verifies(
    'operator-agent:waves',
    'never reaches more agents than its wave, and never restarts too many at once',
    () => {
      fc.assert(
        fc.property(fleet(1), ({ fates, lag }) => {
          for (const { state, reached } of rollOut(modelled(fates), lag)) {
            expect(reached).toBeLessThanOrEqual(waveSize(state.wave, state.agents));
            expect(reached - state.ready).toBeLessThanOrEqual(RESTARTS_AT_ONCE_MAX);
          }
        }),
      );
    },
  );

  verifies('operator-agent:waves', 'ends when every working agent is Ready with it', () => {
    fc.assert(
      fc.property(fleet(0), ({ fates, lag }) => {
        const agents = modelled(fates);
        const last = rollOut(agents, lag).at(-1)?.state;
        expect(last).toMatchObject({ phase: 'Done', good: release });
        expect(agents.every(({ stage, fate }) => stage.type === fate)).toBe(true);
      }),
    );
  });

  verifies('operator-agent:halt', 'that is halted never advances', () => {
    fc.assert(
      fc.property(fleet(3), ({ fates, lag }) => {
        const steps = rollOut(modelled(fates), lag);
        const at = steps.findIndex(({ state }) => state.phase === 'Halted');
        if (at === -1) return;
        for (const { state, fresh } of steps.slice(at)) expect([state.phase, fresh]).toEqual(['Halted', []]);
      }),
    );
  });

  it('begins with one agent, another one for each release', () => {
    const agents = modelled(Array.from({ length: 40 }, () => 'Ready' as const));
    const firsts = Array.from({ length: 400 }, (_, at) => {
      const own = { id: `release-${at}`, image: 'agent:2' };
      const state = { ...started(), release: own };
      const plan = planRollout({ release: own, state, agents, granted: new Set(), now: moment(1) });
      expect(plan.granted.size).toBe(1);
      return [...plan.granted][0] ?? '';
    });
    expect(new Set(firsts).size).toBe(agents.length);
    const counts = agents.map(({ key }) => firsts.filter((first) => first === key).length);
    expect(Math.max(...counts)).toBeLessThan(30);
  });

  it('goes on in waves of 1, 5 %, 25 % and all', () => {
    expect(WAVES.map((_, at) => waveSize(at + 1, 1000))).toEqual([1, 50, 250, 1000]);
    expect(WAVES.map((_, at) => waveSize(at + 1, 3))).toEqual([1, 1, 1, 3]);
  });

  verifies('operator-agent:halt', 'tells who did not come up, and returns it', () => {
    const agents = [
      { key: 'team/ada', stage: failed },
      { key: 'team/bob', stage: { type: 'Waiting' } },
    ] as const;
    const plan = planRollout({ release, state: started(), agents, granted: new Set(['team/bob']), now: moment(9) });
    const { before, type: _, ...fault } = failed;
    expect(plan.state).toMatchObject({ phase: 'Halted', changedAt: moment(9), agents: 2, ready: 0 });
    expect(plan.state.halted).toEqual({ ...fault, agent: 'team/ada', returnsTo: before });
    expect([[...plan.granted], [...plan.returning]]).toEqual([[], ['team/ada']]);
  });

  it('that is everywhere is not halted by an agent that breaks later', () => {
    const state = started({ phase: 'Done' });
    const agents = [{ key: 'team/ada', stage: failed }];
    expect(planRollout({ release, state, agents, granted: new Set(), now: moment(9) }).state).toBe(state);
  });

  it('that is everywhere begins again with one agent where some are left', () => {
    const agents = modelled(['Ready', 'Ready']);
    const plan = planRollout({
      release,
      state: started({ phase: 'Done' }),
      agents,
      granted: new Set(),
      now: moment(9),
    });
    expect(plan).toMatchObject({ state: { phase: 'Rolling', startedAt: moment(9) }, granted: new Set() });
  });
});

describe('a rollout goes on from', () => {
  const halted = started({ phase: 'Halted', changedAt: moment(5), good: { id: 'old', image: 'agent:1' } });
  const from = (state: RolloutState | undefined, resume?: string, own = release) =>
    beginning(state, { release: own, resume, now: moment(9) });

  verifies('operator-agent:halt', 'where it was, under another leader', () => {
    expect(from(halted)).toBe(halted);
    expect(from(halted, moment(4))).toBe(halted);
  });

  verifies('operator-agent:halt', 'the first wave, after a person resumed it', () => {
    const resumed = from(halted, halted.changedAt);
    expect(resumed).toMatchObject({ phase: 'Rolling', startedAt: moment(9), wave: 1, good: halted.good });
    expect(resumed.halted).toBeUndefined();
  });

  it('the first wave, for another release; what was everywhere is the good one', () => {
    const other = { id: 'newer', image: 'agent:3' };
    expect(from(halted, undefined, other)).toMatchObject({ phase: 'Rolling', release: other, good: halted.good });
    expect(from(started({ phase: 'Done' }), undefined, other).good).toEqual(release);
  });
});
