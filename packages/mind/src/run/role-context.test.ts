/** What a role is shown and held to, by what its model is known to take. */
import { describe, expect, it } from 'vitest';
import { newestOf } from '@retainer/contract/api/known-models';
import { call, criterion, scenarios } from '../../../../test/support/run-scenarios.ts';
import { RunWorld, type Mind, type Thinking } from '../../../../test/support/run-world.ts';
import { runSpec } from '../../../../test/support/runs.ts';
import type { CycleSpec } from '../cycle/event.ts';

const EXECUTOR_TOOLS = ['read_file', 'run_code'];

/** By role, the tools in its requests. */
function shownTools(model: string): Readonly<Record<string, readonly string[] | undefined>> {
  const spec = runSpec({ criteria: [criterion('The work is done')] }, EXECUTOR_TOOLS, { model });
  const world = new RunWorld({ spec, mind: scenarios[0]?.mind ?? (() => undefined) }).play();
  const requested = world.of('CycleRequested');
  return Object.fromEntries(requested.map((it) => [it.purpose.role, it.spec.shared?.tools]));
}

describe('the tools in a request', () => {
  it('are those of all roles where the model takes it that it may call none: so the start is cached once', () => {
    expect(shownTools(newestOf('Sonnet'))).toMatchObject({
      Perceiver: [],
      Executor: EXECUTOR_TOOLS,
      AgentValidator: EXECUTOR_TOOLS,
    });
  });

  it("are the role's own where nobody knows the model: it calls what it sees", () => {
    expect(shownTools('m')).toMatchObject({ Perceiver: [], Executor: EXECUTOR_TOOLS, AgentValidator: [] });
  });
});

describe('a worker that answered without a call', () => {
  /** Of its second attempt. */
  function secondAttempt(model: string, first: Thinking): CycleSpec | undefined {
    const spec = runSpec({ criteria: [criterion('The work is done')] }, EXECUTOR_TOOLS, { model });
    const mind: Mind = (purpose, of) => (purpose.role === 'Executor' ? first : scenarios[0]?.mind(purpose, of));
    const cycles = new RunWorld({ spec, mind }).play().of('CycleRequested');
    return cycles.find((it) => it.purpose.role === 'Executor' && it.purpose.attempt === 2)?.spec;
  }
  const failed = call({ role: 'Executor', round: 1, causationId: 'm1' }, { status: 'Error' });
  const guessed = { text: 'It is 12.', calls: [] };

  it.each<readonly [string, string, Thinking, true | undefined]>([
    ['begins with one, where nobody knows the model', 'm', guessed, true],
    ['may answer as it likes, where a provider has trained it', newestOf('Sonnet'), guessed, undefined],
    ['may answer as it likes after a call that failed', 'm', { ...guessed, calls: [failed] }, undefined],
    ['may answer as it likes where it gave no answer', 'm', { outcome: 'OutOfBudget', reason: 'no time' }, undefined],
  ])('%s', (_name, model, first, callsFirst) => {
    expect(secondAttempt(model, first)).toMatchObject({ role: 'Executor' });
    expect(secondAttempt(model, first)?.callsFirst).toBe(callsFirst);
  });
});
