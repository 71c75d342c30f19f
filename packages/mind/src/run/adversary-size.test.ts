/** Megabytes in every text that a model gives. */
import { AgentControl } from '@retainer/contract/api/agent-control';
import { describe, expect } from 'vitest';
import { given, liar, planOf, play, takesAPlan, type Lies, yes, own } from '../../../../test/support/liar.ts';
import { criterion, judged, merged, planned, worked } from '../../../../test/support/run-scenarios.ts';
import { VALIDATOR_INPUT_CHARACTERS_MAX } from '../assemble/validator-input.ts';
import { bySize } from '../../../../test/support/test-size.ts';
import { verifies } from '../../../../test/verifies.ts';

/** Characters in every text that a role gives: more than an event may have. */
const MUCH = bySize({ check: 1_200_000, nightly: 2_000_000 });

/** Of what one role is asked: what the longest of them may be, an executor's with all of its context, and some room. */
const INPUT_CHARACTERS_MAX = VALIDATOR_INPUT_CHARACTERS_MAX + 65_536;

/** Of one event of the run, the model's own words aside. */
const EVENT_CHARACTERS_MAX = 1024 * 1024;

describe('megabytes', () => {
  const much = (start: string): string => `${start} ${'words and words '.repeat(MUCH / 16)}`;
  const lies: readonly { readonly name: string; readonly lies: Lies }[] = [
    {
      name: 'of a task',
      lies: {
        Perceiver: () =>
          given({
            kind: 'Task',
            slug: much('s'),
            intent: much('i'),
            shape: 'Plan',
            assumptions: Array.from({ length: 100 }, () => much('a')),
          }),
      },
    },
    { name: 'of a question', lies: { Perceiver: () => given({ kind: 'Question', text: much('q') }) } },
    {
      name: 'of a plan',
      lies: {
        ...takesAPlan,
        Planner: () =>
          planOf({
            intent: much('i'),
            context: much('c'),
            criteria: [criterion(much('x'))],
            plannedTools: [much('t')],
          }),
      },
    },
    { name: 'of a planned tool', lies: { ...takesAPlan, Planner: () => planOf({ plannedTools: [much('t')] }) } },
    { name: 'of a result', lies: { Executor: (purpose) => ({ ...worked(purpose), text: much('done') }) } },
    {
      name: 'of a result that is refused',
      lies: {
        Executor: (purpose) => ({ ...worked(purpose), text: much('done') }),
        AgentValidator: (purpose) => judged(purpose, false),
      },
    },
    {
      name: 'of why it failed',
      lies: { Executor: () => ({ outcome: 'OutOfBudget', reason: much('because'), text: '' }) },
    },
    {
      name: 'of verdicts',
      lies: {
        AgentValidator: () =>
          given({
            verdicts: Array.from({ length: 3 }, (_, at) => ({
              criterion: at + 1,
              met: false,
              evidence: [much('e')],
              reason: much('r'),
            })),
            whatWasWrong: much('w'),
            whatToDo: much('d'),
          }),
      },
    },
    {
      name: 'of evidence',
      lies: {
        AgentValidator: (purpose) => yes(own(purpose), ...Array.from({ length: 20_000 }, (_, at) => `forged-${at}`)),
      },
    },
    {
      name: 'of a merged result',
      lies: {
        ...takesAPlan,
        Planner: ({ round }) => planned([`One ${round}`, `Two ${round}`]),
        MetaValidator: ({ round }) => {
          const { value } = merged([`r-r${round}-s1-a1-t1`]);
          return given({ ...(value as object), output: much('o'), summary: much('s') });
        },
      },
    },
  ];
  for (const { name, lies: told } of lies)
    verifies('adversary:megabytes', `${name} become messages, inputs and an end of bounded size`, () => {
      const world = play(liar(told));
      for (const event of world.events.filter((it) => it.kind !== 'CycleConcluded'))
        expect(JSON.stringify(event).length, event.kind).toBeLessThanOrEqual(EVENT_CHARACTERS_MAX);
      for (const { spec: cycle } of world.of('CycleRequested'))
        expect(cycle.input.length, cycle.role).toBeLessThanOrEqual(INPUT_CHARACTERS_MAX);
      expect(JSON.stringify(world.concluded).length).toBeLessThanOrEqual(65_536);
    });

  verifies(
    'adversary:megabytes',
    'of every result of as many subtasks as a plan may have fit into one message',
    () => {
      const control = AgentControl.parse({ maxSubtasks: 64, maxParallelSubtasks: 16 });
      const steps = Array.from({ length: control.maxSubtasks }, (_, at) => `Step ${at}`);
      const world = play(
        liar({
          ...takesAPlan,
          Planner: ({ round }) => planned(steps.map((step) => `${step}, ${round}`)),
          Executor: (purpose) => ({ ...worked(purpose), text: much('done').slice(0, 100_000) }),
        }),
        { control },
      );
      expect(world.concluded.outcome).toBe('Accepted');
    },
    240_000,
  );
});
