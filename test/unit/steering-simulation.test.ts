/** What `bench:steering` rests on: the same seed, the same course; one budget; a planner that obeys; nothing falsely accepted. */
import type { BusPayload } from '@retainer/contract/wire/bus/envelope';
import { describe, expect, it } from 'vitest';
import { ARMS, BUDGET, playArm } from '../../bench/steering/arms.ts';
import { directedPlan, firstPlan, intentOf, nextPlan } from '../../bench/steering/choose-plan.ts';
import { generateDependentTask } from '../../bench/steering/generate-dependent-task.ts';
import { canBeDone, FAILURE_MODES, generateTask } from '../../bench/steering/generate-task.ts';
import { Plant } from '../../bench/steering/plant.ts';
import { withNames } from '../../bench/steering/worlds.ts';
import { verifies } from '../verifies.ts';

/** Two of each failure mode. */
const tasks = [0, 1, 2, 3, 4, 5, 6, 7].map(generateTask);

/** The end of a run hands over and closes: some milliseconds after its deadline. */
const CLOSING_MS = 100;

describe.each(ARMS)('arm %s', (arm) => {
  verifies(
    'run:steering-is-simulated',
    'plays the same each time, within the budget, and accepts nothing falsely',
    () => {
      for (const task of tasks) {
        const result = playArm(arm, task);
        expect(result).toEqual(playArm(arm, generateTask(task.seed)));
        expect(result.isFalseAccept).toBe(false);
        expect(result.tokens).toBeGreaterThan(0);
        expect(result.tokens).toBeLessThanOrEqual(BUDGET.tokens);
        expect(result.elapsedMs).toBeLessThanOrEqual(BUDGET.ms + result.rounds.length * CLOSING_MS);
      }
    },
  );
});

verifies(
  'run:steering-is-simulated',
  'what cannot be done is never accepted, although the last validator says yes to all',
  () => {
    const infeasible = tasks.filter((it) => !canBeDone(it));
    expect(infeasible.map((it) => it.mode)).toEqual(['Infeasible', 'Infeasible']);
    for (const task of infeasible)
      for (const arm of ARMS) expect(playArm(arm, task, { profile: 'Hardened' }).outcome).not.toBe('Accepted');
  },
);

describe('a generated task', () => {
  it('is of each failure mode as often as of any other, and only the infeasible ones cannot be done', () => {
    const many = Array.from({ length: 80 }, (_, seed) => generateTask(seed));
    for (const mode of FAILURE_MODES) expect(many.filter((task) => task.mode === mode)).toHaveLength(20);
    expect(many.every((task) => canBeDone(task) === (task.mode !== 'Infeasible'))).toBe(true);
  });

  it('meets the n-th call of a pair with the same, whoever calls', () => {
    const [task] = tasks;
    if (task === undefined) throw new Error('there are tasks');
    const [step] = firstPlan(task);
    if (step === undefined) throw new Error('a task has parts');
    const calls = (plant: Plant): readonly string[] => [1, 2, 3, 4, 5, 6].map(() => plant.call(step).output);
    expect(calls(new Plant(task))).toEqual(calls(new Plant(task)));
  });
});

it('takes figures of a plan in the headings of kept results for no claims', () => {
  const change = { profile: 'Hardened', maxReplans: 16, worseningRoundsMax: 16 } as const;
  const { outcome, isFalseAccept, rounds } = playArm('Steering', generateTask(1011), change);
  expect({ outcome, isFalseAccept }).toEqual({ outcome: 'Accepted', isFalseAccept: false });
  expect(rounds).toHaveLength(5);
});

describe('a judge that errs', () => {
  const [task] = tasks;
  if (task === undefined) throw new Error('there are tasks');
  const infeasible = tasks.filter((it) => !canBeDone(it));

  it('makes an arm accept falsely, which is counted, unless code finds missing what a criterion names', () => {
    const judge = { falseYes: 1, falseNo: 0 };
    const judged = infeasible.map((it) => playArm('None', { ...it, judge }));
    expect(judged.filter((it) => it.isFalseAccept).length).toBeGreaterThan(0);
    const named = infeasible.map((it) => playArm('None', { ...withNames(it), judge }));
    expect(named.filter((it) => it.isFalseAccept).length).toBeLessThanOrEqual(
      judged.filter((it) => it.isFalseAccept).length,
    );
  });

  it('that never says yes ends every arm without an acceptance', () => {
    const judged = { ...task, judge: { falseYes: 0, falseNo: 1 } };
    for (const arm of ARMS) expect(playArm(arm, judged, { profile: 'Evidence' }).outcome).not.toBe('Accepted');
  });
});

describe('a task of the third world', () => {
  const many = Array.from({ length: 60 }, (_, seed) => generateDependentTask(seed));

  it('has steps that nothing can do before what they build on', () => {
    const chained = many.filter((it) => it.parts.some((part) => part.needs !== undefined) && canBeDone(it));
    expect(chained.length).toBeGreaterThan(5);
    for (const task of chained) {
      const second = task.parts.find((it) => it.needs !== undefined);
      if (second === undefined) throw new Error('it is chained');
      const plant = new Plant(task);
      const shown = second.candidates.map((it) => plant.call({ ...it, part: second }).shows);
      expect(shown.every((it) => it === 0)).toBe(true);
    }
  });

  it('has pairs that show one of two criteria', () => {
    const halves = many.flatMap((it) => [...it.hidden.values()].filter(({ half }) => half !== undefined));
    expect(new Set(halves.map((it) => it.half))).toEqual(new Set(['Ever', 'AtFirst']));
  });
});

describe('the planner', () => {
  const task = tasks.find((it) => it.parts.length > 1);
  if (task === undefined) throw new Error('a task has several parts');
  const last = firstPlan(task);
  const [first, second] = last;
  if (first === undefined || second === undefined) throw new Error('a plan has a step for each part');
  const directive: BusPayload<'PlanDirective'> = {
    directive: 'ChangePath',
    previous: 'Init',
    loss: { d: 1, p: 0, omega: 0, l: 1, q: 1 },
    gradL: 0,
    gradQ: 0,
    blocked: { tools: [], targets: [] },
    failedCriterion: first.part.criterion,
    failureClass: 'Environmental',
    budgetPressure: 0,
    salvage: [],
    rationale: '',
  };

  it.each(['Refine', 'ChangePath'] as const)('keeps the tool and moves on to another target on %s', (name) => {
    const [moved, stays] = directedPlan(task, last, {
      ...directive,
      directive: name,
      blocked: { tools: [], targets: [first.target] },
    });
    expect(moved).toMatchObject({ tool: first.tool, part: first.part });
    expect(moved?.target).not.toBe(first.target);
    expect(stays).toBe(second);
  });

  it.each(['ChangeApproach', 'BreakSymmetry'] as const)(
    'leaves a blocked tool alone, for every part, on %s',
    (name) => {
      const moved = directedPlan(task, last, {
        ...directive,
        directive: name,
        blocked: { tools: [first.tool], targets: [] },
      });
      expect(moved.map((it) => it.tool)).not.toContain(first.tool);
    },
  );

  it('does not do again what was kept', () => {
    const kept = { subtaskId: 'x', round: 1, intent: intentOf(second), output: '' };
    expect(directedPlan(task, last, { ...directive, salvage: [kept] }).map((it) => it.part.name)).not.toContain(
      second.part.name,
    );
  });

  it('without a directive takes the next candidate of what failed', () => {
    const [moved, stays] = nextPlan(last, new Set([first.part.name]));
    expect(moved).toMatchObject(first.part.candidates[1] ?? {});
    expect(stays).toBe(second);
  });
});
