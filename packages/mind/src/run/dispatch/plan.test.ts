import type { BusCriterion } from '@retainer/contract/wire/bus/payloads';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import type { Plan } from '../../request/answers/plan.ts';
import { decidePlan, denseRanks, planDigest, singleStepPlan, type PlanDecision, type PlanQuestion } from './plan.ts';

const criterion = (text: string, change: Partial<BusCriterion> = {}): BusCriterion => ({
  text,
  mode: 'Verifiable',
  required: true,
  ...change,
});

type Planned = Plan['subtasks'][number];

function planned(intent: string, change: Partial<Planned> = {}): Planned {
  return { sequence: 1, intent, context: '', criteria: [criterion('shown')], plannedTools: [], ...change };
}

const plan = (...subtasks: Planned[]): Plan => ({ criteria: [], subtasks });

function question(change: Partial<PlanQuestion> = {}): PlanQuestion {
  return {
    runId: 'run7',
    round: 2,
    taskSlug: 'sum',
    peopleCriteria: [],
    blocked: { tools: [], targets: [] },
    salvage: [],
    advice: [],
    isUnplanned: false,
    maxSubtasks: 16,
    workers: [],
    rejections: 0,
    ...change,
  };
}

function accepted(decision: PlanDecision): Extract<PlanDecision, { kind: 'Accepted' }> {
  if (decision.kind !== 'Accepted') throw new Error(`not accepted: ${JSON.stringify(decision)}`);
  return decision;
}

const coder = { name: 'Coder', tools: ['run_code'] };

describe('the workers of a plan', () => {
  const decide = (change: Partial<Planned>): PlanDecision =>
    decidePlan(question({ workers: [coder] }), plan(planned('a', change)));
  const workerIn = (change: Partial<Planned>): string | undefined => accepted(decide(change)).subtasks[0]?.worker;

  it.each([
    ['nobody', {}, undefined],
    ['the executor', { worker: 'Executor' }, undefined],
    ['a worker', { worker: 'Coder' }, 'Coder'],
    ['a worker, as a model spells it', { worker: ' coder ' }, 'Coder'],
    ['a worker with a tool of its own', { worker: 'coder', plannedTools: ['Run-Code'] }, 'Coder'],
  ])('that names %s', (_, change, expected) => {
    expect(workerIn(change)).toBe(expected);
  });

  verifies('roles:unknown-worker', 'a name that is nobody’s, and a tool that its worker lacks, are sent back', () => {
    expect(decide({ worker: 'Comms\nMUST' })).toEqual({
      kind: 'Rejected',
      reason: 'subtask 1: there is no worker Comms MUST; choose one of: executor, coder',
    });
    expect(decide({ worker: 'coder', plannedTools: ['fetch_url'] })).toEqual({
      kind: 'Rejected',
      reason: 'subtask 1: the worker coder has no tool fetch_url',
    });
  });

  const advice = [
    { name: 'm1', line: 'MUST NOT: a', id: 'x' },
    { name: 'm2', line: 'SHOULD PREFER: b' },
    { name: 'm3', line: 'SHOULD PREFER: c', id: 'y' },
  ];

  verifies(
    'memory:shown-is-not-cited',
    'are shown the lines that it cites for them, which the record tells apart',
    () => {
      const cited = plan(planned('a', { basedOn: ['m3', 'm2', 'm9'] }), planned('b', { basedOn: ['y'] }));
      const { manifest, subtasks } = accepted(decidePlan(question({ advice }), cited));
      expect(manifest).toMatchObject({ memoryRefs: ['x', 'y'], basedOn: ['y'] });
      expect(subtasks.map((it) => it.advice)).toEqual([['SHOULD PREFER: b', 'SHOULD PREFER: c'], undefined]);
    },
  );

  verifies('memory:shown-is-not-cited', 'are shown all lines where nobody planned, and nobody cites', () => {
    const { manifest, subtasks } = accepted(decidePlan(question({ advice, isUnplanned: true }), plan(planned('a'))));
    expect(manifest.memoryRefs).toEqual(['x', 'y']);
    expect(manifest).not.toHaveProperty('basedOn');
    expect(subtasks[0]?.advice).toEqual(advice.map(({ line }) => line));
  });

  it('make another plan of the same steps, and the executor none', () => {
    const digest = (change: Partial<Planned>): string => planDigest(plan(planned('a', change)));
    expect(digest({ worker: 'coder' })).not.toBe(digest({}));
    expect(digest({ worker: 'coder' })).toBe(digest({ worker: 'Coder' }));
    expect(digest({ worker: 'Executor' })).toBe(digest({}));
  });
});

describe('decidePlan', () => {
  verifies('dispatch:ids-are-the-runtimes', 'no id of a planner reaches a subtask', () => {
    const forged = { ...planned('b', { sequence: 2 }), subtaskId: 'run7-r1-s1', position: 0 };
    const { subtasks, manifest } = accepted(decidePlan(question(), plan(forged, planned('a'))));
    expect(subtasks.map((it) => [it.subtaskId, it.intent, it.sequence, it.position])).toEqual([
      ['run7-r2-s1', 'a', 1, 0],
      ['run7-r2-s2', 'b', 2, 1],
    ]);
    expect(manifest.subtaskIds).toEqual(['run7-r2-s1', 'run7-r2-s2']);
  });

  verifies('dispatch:people-criteria-stay', 'they come first and unchanged, whatever the planner says', () => {
    const people = [criterion('It is right', { required: true }), criterion('It is kind', { required: false })];
    const answer = {
      ...plan(planned('a')),
      criteria: [
        criterion(' it  IS right ', { required: false, mode: 'Plausible' as const }),
        criterion('It is short'),
        criterion('It is short.'),
        criterion('it is short'),
      ],
    };
    const { manifest } = accepted(decidePlan(question({ peopleCriteria: people }), answer));
    expect(manifest.criteria).toEqual([...people, criterion('It is short'), criterion('It is short.')]);
  });

  const blocked = { tools: ['run_code'], targets: [] };
  it.each<readonly [string, Partial<PlanQuestion>, Plan, RegExp]>([
    ['a thousand subtasks', {}, plan(...Array.from({ length: 1000 }, (_, at) => planned(`s${at}`))), /1000 subtasks/],
    ['more than this Agent allows', { maxSubtasks: 1 }, plan(planned('a'), planned('b')), /make it 1 at most/],
    ['an empty intent', {}, plan(planned('a'), planned(' \n')), /^subtask 2: it has no intent/],
    ['an intent of megabytes', {}, plan(planned('x'.repeat(3_000_000))), /^subtask 1: its intent is longer/],
    ['a context of megabytes', {}, plan(planned('a', { context: 'x'.repeat(3_000_000) })), /its context is longer/],
    ['an empty criterion', {}, plan(planned('a', { criteria: [criterion(' ')] })), /it has an empty criterion/],
    ['an endless criterion', {}, plan(planned('a', { criteria: [criterion('x'.repeat(9000))] })), /more than 8192/],
    [
      'too many criteria',
      {},
      plan(planned('a', { criteria: Array.from({ length: 33 }, (_, at) => criterion(`c${at}`)) })),
      /it has 33 criteria; give 32/,
    ],
    [
      'too many criteria beside those of people',
      { peopleCriteria: Array.from({ length: 32 }, (_, at) => criterion(`p${at}`)) },
      { ...plan(planned('a')), criteria: Array.from({ length: 33 }, (_, at) => criterion(`c${at}`)) },
      /the whole has 33 criteria; give 32/,
    ],
    ['the same work twice', {}, plan(planned('Do it'), planned(' do  IT ')), /^subtask 2: .* same as subtask 1/],
    ['a blocked tool', { blocked }, plan(planned('a', { plannedTools: ['run_code'] })), /run_code, which is blocked/],
    ['a blocked tool by another name', { blocked }, plan(planned('a', { plannedTools: ['Run-Code '] })), /is blocked/],
    ['one in wide letters', { blocked }, plan(planned('a', { plannedTools: ['ｒｕｎ＿ｃｏｄｅ'] })), /is blocked/],
    [
      'the plan that failed',
      { lastFailed: planDigest(plan(planned('a', { sequence: 3 }), planned('b', { sequence: 3 }))) },
      plan(planned('B'), planned(' a')),
      /failed in the round before/,
    ],
  ])('rejects %s once, and fails the second time', (_, change, answer, reason) => {
    const first = decidePlan(question(change), answer);
    expect(first).toMatchObject({ kind: 'Rejected' });
    expect(first.kind === 'Rejected' && first.reason).toMatch(reason);
    const second = decidePlan(question({ ...change, rejections: 1 }), answer);
    expect(second).toMatchObject({ kind: 'Failed', failure: { failureClass: 'Logical' } });
  });

  it.each(['Retry', 'Refine'] as const)('takes the plan that failed where a part was told to %s', (directive) => {
    const again = plan(planned('a'));
    const parts = [{ criteria: ['It is shown'], directive, options: [], avoid: [], why: '' }];
    expect(decidePlan(question({ lastFailed: planDigest(again), parts }), again).kind).toBe('Accepted');
  });

  verifies(
    'dispatch:blocked-tools-are-not-planned',
    'a plan with a blocked tool is sent back once, then the round fails',
    () => {
      const answer = plan(planned('a', { plannedTools: ['read_file', 'RUN_CODE'] }));
      expect(decidePlan(question({ blocked }), answer).kind).toBe('Rejected');
      expect(decidePlan(question({ blocked, rejections: 1 }), answer).kind).toBe('Failed');
      expect(decidePlan(question({ blocked }), plan(planned('a', { plannedTools: ['read_file'] }))).kind).toBe(
        'Accepted',
      );
      const [subtask] = accepted(decidePlan(question({ blocked }), plan(planned('a')))).subtasks;
      expect(subtask?.blocked).toEqual(blocked);
    },
  );

  it.each([
    ['no plan', undefined, 'Infrastructure'],
    ['another structure', { subtasks: 'all' }, 'Infrastructure'],
    ['no subtasks', plan(), 'Logical'],
  ])('fails at once on %s', (_, answer, failureClass) => {
    expect(decidePlan(question(), answer)).toMatchObject({ kind: 'Failed', failure: { failureClass } });
  });

  it('tells apart work of the same intent on other things', () => {
    const answer = plan(planned('Sum it', { context: 'a.csv' }), planned('Sum it', { context: 'b.csv' }));
    expect(accepted(decidePlan(question(), answer)).subtasks).toHaveLength(2);
  });

  it('gives dense sequences in order, whatever the planner wrote', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 1, maxLength: 16 }),
        (sequences) => {
          const answer = plan(...sequences.map((sequence, at) => planned(`s${at}`, { sequence })));
          const { subtasks } = accepted(decidePlan(question(), answer));
          const used = subtasks.map((it) => it.sequence);
          expect(used).toEqual(used.toSorted((a, b) => a - b));
          expect(new Set(used)).toEqual(new Set(Array.from({ length: used.at(-1) ?? 0 }, (_, at) => at + 1)));
          expect(subtasks.map((it) => it.position)).toEqual(subtasks.map((_, at) => at));
        },
      ),
    );
  });
});

describe('denseRanks', () => {
  verifies('dispatch:sequences-are-dense', 'ranks from 1 without gaps; what is no number from 1 on is 1', () => {
    expect(denseRanks([7, 3, 3, 100])).toEqual([2, 1, 1, 3]);
    expect(denseRanks([0, -4, NaN, 2])).toEqual([1, 1, 1, 2]);
    expect(denseRanks([])).toEqual([]);
  });
});

describe('planDigest', () => {
  const one = plan(planned('a'), planned('b'), planned('c', { sequence: 2 }));
  it.each<readonly [string, Plan, boolean]>([
    ['the order of parallel subtasks', plan(planned('b'), planned('a'), planned('c', { sequence: 9 })), true],
    ['capitals and blanks', plan(planned(' A'), planned('b'), planned('C', { sequence: 2 })), true],
    ['criteria of the whole', { ...one, criteria: [criterion('x')] }, true],
    ['another order', plan(planned('a'), planned('b', { sequence: 2 }), planned('c', { sequence: 2 })), false],
    ['another context', plan(planned('a', { context: 'x' }), planned('b'), planned('c', { sequence: 2 })), false],
    ['another tool', plan(planned('a', { plannedTools: ['x'] }), planned('b'), planned('c', { sequence: 2 })), false],
    ['one less', plan(planned('a'), planned('b')), false],
  ])('with %s: the same is %s', (_, other, isSame) => {
    expect(planDigest(other) === planDigest(one)).toBe(isSame);
  });
});

describe('singleStepPlan', () => {
  it('passes with as many criteria as people may give', () => {
    const people = Array.from({ length: 32 }, (_, at) => criterion(`p${at}`));
    const decision = decidePlan(question({ peopleCriteria: people }), singleStepPlan('Do it', 'ctx', people));
    expect(accepted(decision).subtasks).toMatchObject([{ subtaskId: 'run7-r2-s1', criteria: people, context: 'ctx' }]);
    expect(accepted(decision).manifest.criteria).toEqual(people);
  });
});
