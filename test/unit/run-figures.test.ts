/** What `bench:run` measures by the clock, counted in virtual time. */
import { AgentControl } from '@retainer/contract/api/agent-control';
import { expect, it } from 'vitest';
import { callsInSequence, subtaskTimeMs } from '../../bench/run/calls-in-sequence.ts';
import { judged, merged, perceived, planned, scenarios, worked } from '../support/run-scenarios.ts';
import { RunWorld, type Mind } from '../support/run-world.ts';
import { verifies } from '../verifies.ts';

const [plain] = scenarios;
if (plain === undefined) throw new Error('there is a plain scenario');

/** A tool call, and the reply: an executor needs two calls at least. */
const twoTurns =
  (mind: Mind): Mind =>
  (purpose, spec) => {
    const thinking = mind(purpose, spec);
    return purpose.role === 'Executor' && thinking !== undefined ? { ...thinking, modelCalls: 2 } : thinking;
  };

const four: Mind = (purpose) => {
  const { role, round } = purpose;
  switch (role) {
    case 'Perceiver':
      return perceived('Plan');
    case 'Planner':
      return planned(['Look north', 'Look east', 'Look south', 'Look west']);
    case 'Executor':
      return worked(purpose);
    case 'AgentValidator':
      return judged(purpose, true);
    case 'MetaValidator':
      return merged([`r-r${round}-s1-a1-t1`]);
  }
};

function playFour(maxParallelSubtasks: number): RunWorld {
  const spec = { ...plain?.spec, control: AgentControl.parse({ maxParallelSubtasks }) } as RunWorldSpec;
  return new RunWorld({ spec, mind: twoTurns(four) }).play();
}

type RunWorldSpec = ConstructorParameters<typeof RunWorld>[0]['spec'];

verifies('run:calls-in-sequence', 'a plain task takes 4 model calls, one after the other, where 6 are allowed', () => {
  const calls = callsInSequence(new RunWorld({ ...plain, mind: twoTurns(plain.mind) }).play().events);
  expect(calls).toBe(4);
  expect(calls).toBeLessThanOrEqual(6);
});

it('counts calls side by side once', () => {
  // Perceiver, planner, one subtask of three calls, merge; one by one, four times three of them.
  expect(callsInSequence(playFour(4).events)).toBe(1 + 1 + 3 + 1);
  expect(callsInSequence(playFour(1).events)).toBe(1 + 1 + 4 * 3 + 1);
});

verifies('run:subtasks-overlap', 'four independent subtasks of equal stalls take a third of the time at most', () => {
  const [sideBySideMs, oneByOneMs] = [subtaskTimeMs(playFour(4).events), subtaskTimeMs(playFour(1).events)];
  // Two stalls of a second in each, and a millisecond for each word.
  expect(oneByOneMs).toBeGreaterThanOrEqual(8000);
  expect(oneByOneMs / sideBySideMs).toBeGreaterThanOrEqual(3);
});
