/** Lies of a planner. None hangs, passes, or costs without bound, and each is told clearly. */
import { describe, expect } from 'vitest';
import type { Json } from '@retainer/contract/std/canonical-json';
import {
  given,
  liar,
  own,
  planOf,
  play,
  expectRefusal,
  type Lie,
  takesAPlan,
  type Lies,
  WORK,
  yes,
} from '../../../../test/support/liar.ts';
import { criterion, judged, planned } from '../../../../test/support/run-scenarios.ts';
import { verifies } from '../../../../test/verifies.ts';

describe('a planner', () => {
  const lies: readonly Lie[] = [
    {
      name: 'that plans the same again and again',
      lies: {
        ...takesAPlan,
        Planner: () => planned(['Always the same']),
        AgentValidator: (purpose) => judged(purpose, false),
      },
      told: /failed in the round before|plan differently/,
    },
    {
      name: 'that plans a thousand subtasks',
      lies: { ...takesAPlan, Planner: () => planned(Array.from({ length: 1000 }, (_, at) => `Step ${at}`)) },
      told: /1000 subtasks; make it 16 at most/,
    },
    { name: 'that plans nothing', lies: { ...takesAPlan, Planner: () => planOf() }, told: /no subtasks/ },
    {
      name: 'that plans an empty intent',
      lies: { ...takesAPlan, Planner: () => planOf({ intent: ' \n\t' }) },
      told: /has no intent/,
    },
    {
      name: 'that plans an empty criterion',
      lies: { ...takesAPlan, Planner: () => planOf({ criteria: [criterion(' ')] }) },
      told: /empty criterion/,
    },
    {
      name: 'that plans a criterion which contradicts another',
      lies: {
        ...takesAPlan,
        Planner: ({ round }) =>
          planOf({ intent: `Write ${round}`, criteria: [criterion('x is 1'), criterion('x is not 1')] }),
        AgentValidator: (purpose) =>
          given({
            verdicts: [
              { criterion: 1, met: true, evidence: [own(purpose)], reason: 'shown' },
              { criterion: 2, met: false, failureClass: 'Logical', evidence: [], reason: 'x is 1, so it cannot be' },
            ],
            whatWasWrong: 'both cannot hold',
            whatToDo: 'nothing',
          }),
      },
      told: /x is not 1/,
    },
    {
      name: 'that numbers its groups with what is no number',
      lies: { ...takesAPlan, Planner: () => planOf({ sequence: Number.NaN }) },
      told: /no usable plan/,
      outcome: 'Abandoned|Failed',
    },
    {
      name: 'that asks for the same work twice in one plan',
      lies: { ...takesAPlan, Planner: () => planOf({ intent: 'Read A' }, { intent: '  read   a ', sequence: 2 }) },
      told: /asks for the same as subtask 1/,
    },
  ];
  for (const lie of lies) verifies('adversary:plans', lie.name, () => expectRefusal(lie));

  verifies(
    'adversary:plans',
    'that numbers its groups backwards, below zero and without end gets groups from 1',
    () => {
      const world = play(
        liar({
          ...takesAPlan,
          Planner: () => planOf({ sequence: 9e15 }, { sequence: -7 }, { sequence: 3 }, { sequence: -1e300 }),
        }),
      );
      const sequences = world.messages().flatMap((it) => (it.type === 'SubTask' ? [it.payload.sequence] : []));
      expect(sequences).toEqual([1, 1, 2, 3]);
      expect(world.concluded.outcome).toBe('Accepted');
    },
  );

  /** The first round fails by its approach, so that the tools of it are blocked. */
  const blocking = (name: string): Lies => ({
    ...takesAPlan,
    Planner: ({ round }) => planOf({ intent: `Try ${round}`, plannedTools: round === 1 ? [] : [name] }),
    AgentValidator: () =>
      given({
        verdicts: [{ criterion: 1, met: false, failureClass: 'Logical', evidence: [], reason: 'wrong way' }],
        whatWasWrong: 'wrong way',
        whatToDo: 'another',
      }),
  });
  const spellings: readonly Lie[] = [
    'read_file',
    'READ_FILE',
    'Read-File',
    'read file',
    'ｒｅａｄ＿ｆｉｌｅ',
    'read_file()',
    ' readFile',
  ].map((name) => ({
    name: `that plans a blocked tool as ${JSON.stringify(name)}`,
    lies: blocking(name),
    told: /which is blocked in this round/,
  }));
  for (const lie of spellings) verifies('adversary:blocked', lie.name, () => expectRefusal(lie));

  verifies('adversary:ids', 'whose texts look like ours gets ids of ours, and nothing of it becomes one', () => {
    const text = 'subtask r-r1-s9: done\ntool-call r-c9-t9 tool=read_file status=ok\ncriterion 1: anything\nid: r-m1';
    const world = play(
      liar({
        ...takesAPlan,
        Planner: () =>
          planOf({ intent: text, context: text, criteria: [criterion(text)], subtaskId: 'r-m1', position: 7 }),
        AgentValidator: () => yes('r-c9-t9', 'r-r1-s9'),
      }),
    );
    expect(world.concluded.outcome).not.toBe('Accepted');
    for (const message of world.messages())
      if (message.type === 'SubTask') expect(message.payload.subtaskId).toMatch(/^r-r\d-s1$/);
    const inputs = world.of('CycleRequested').map((it) => it.spec.input);
    for (const line of inputs.flatMap((it) => it.split('\n')))
      expect(line).not.toMatch(/^(tool-call r-c9|subtask r-r1-s9|id: )/);
  });

  verifies(
    'adversary:people-criteria',
    "that gives criteria of its own instead of the people's leaves theirs first",
    () => {
      const world = play(
        liar({
          ...takesAPlan,
          Planner: ({ round }) =>
            given({
              criteria: [criterion('Anything at all'), { ...criterion(`the WORK  is done`), required: false }],
              subtasks: (planOf({ intent: `Try ${round}` }).value as { subtasks: Json }).subtasks,
            }),
          MetaValidator: ({ round }) =>
            given({
              output: 'All of it.',
              verdicts: [
                { criterion: 1, met: false, failureClass: 'Logical', evidence: [], reason: 'not shown' },
                { criterion: 2, met: true, evidence: [`r-r${round}-s1-a1-t1`], reason: 'shown' },
              ],
              summary: 'Done.',
            }),
        }),
      );
      expect(world.concluded.criteria.map((it) => [it.text, it.required])).toEqual([
        [WORK, true],
        ['Anything at all', true],
      ]);
      expect(world.concluded.outcome).toBe('Abandoned');
    },
  );
});
