/** A worker that goes round is started anew with something else than the same words, and what it did is told as its own mistake. */
import { describe, expect, it } from 'vitest';
import { criterion, perceived, scenarios } from '../../../../test/support/run-scenarios.ts';
import { RunWorld, type Mind, type Thinking } from '../../../../test/support/run-world.ts';
import { runSpec } from '../../../../test/support/runs.ts';
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { repeatedReason } from '../cycle/end-fault.ts';
import type { CycleSpec } from '../cycle/event.ts';
import { circlesIn, variedBy } from './circles.ts';
import type { RunSpec } from './event.ts';
import type { ExecutionResult } from './verdict/pre-gates.ts';

const plain = scenarios[0]?.mind;
const spec = runSpec({ criteria: [criterion('The sum is named')] }, ['read_file', 'run_code', 'bash']);

const ran = (change: Partial<ToolCallRecord>): ToolCallRecord => ({
  ...{ callId: 'c-t1', tool: 'bash', input: '{"command":"cat sum.txt"}', target: 'sum.txt', status: 'Error' },
  ...{ output: 'cat: sum.txt: No such file or directory', durationMs: 1, files: [], ...change },
});
const again = (change: Partial<ToolCallRecord> = {}): ToolCallRecord =>
  ran({ callId: 'c-t2', status: 'Unrun', output: 'This is the same call as before.', ...change });

/** Repeats a call until this ends its work. */
const round = (change: Partial<ToolCallRecord> = {}): Thinking => ({
  outcome: 'OutOfBudget',
  reason: repeatedReason('bash'),
  calls: [ran(change), again(), again({ callId: 'c-t3' })],
});

function playedBy(executor: Thinking, of: Partial<RunSpec> = {}): RunWorld {
  const mind: Mind = (purpose, cycle) => {
    if (purpose.role === 'Executor') return executor;
    return purpose.role === 'Perceiver' ? perceived('SingleStep') : plain?.(purpose, cycle);
  };
  return new RunWorld({ spec: { ...spec, ...of }, mind }).play();
}

function specsOf(world: RunWorld): readonly CycleSpec[] {
  return world
    .of('CycleRequested')
    .filter(({ purpose }) => purpose.role === 'Executor' && purpose.round === 1)
    .map((it) => it.spec);
}

describe('a worker that repeats a call until this ends its work', () => {
  it('is told what came back and what else there is, and not the same words again', () => {
    const [first, second] = specsOf(playedBy(round()));
    expect(second?.input).not.toBe(first?.input);
    expect(second?.input).toContain(
      'the work went round: bash was called again and again, last with {"command":"cat sum.txt"}',
    );
    expect(second?.input).toContain('it did not succeed, and will not by itself');
    expect(second?.input).toContain('Not tried yet: read_file, run_code.');
    expect(second?.input).toMatch(
      /→ Error: cat: sum\.txt: No such file or directory \(made 3 times: it brings the same again\)/,
    );
    expect(second?.input).not.toContain('This is the same call as before');
  });

  it('is told to work with what its call brought, where it succeeded', () => {
    const [, second] = specsOf(playedBy(round({ status: 'Ok', output: '42 '.repeat(200) })));
    expect(second?.input).toContain('it succeeded, and brings the same each time');
    expect(second?.input).toContain('Work with its result');
    expect(second?.input).toContain('42 '.repeat(150).trim());
  });

  it('answers with more chance each time, and by the capable model where the fast one worked', () => {
    const { Executor, ...others } = spec.roles;
    const big = { tier: 'Capable', model: 'big' } as const;
    const roles = { ...others, Executor: { ...Executor, tier: 'Fast', model: 'small', fallback: big } } as const;
    const control = {
      ...spec.control,
      profile: 'Spec',
      fastLoop: { ...spec.control.fastLoop, maxRetries: 2 },
    } as const;
    const asked = specsOf(playedBy(round(), { roles, control })).map(({ model, temperature, fallback }) => [
      model,
      temperature,
      fallback?.model,
    ]);
    expect(asked).toEqual([
      ['small', undefined, 'big'],
      ['big', 0.7, 'small'],
      ['big', 1, 'small'],
    ]);
  });

  it('made the mistake itself: nothing around it is to blame', () => {
    const world = playedBy(round());
    const [outcome] = world.messages().filter((it) => it.type === 'SubTaskOutcome');
    expect(outcome?.payload).toMatchObject({
      failureClass: 'Logical',
      failureReason: expect.stringContaining('the work was cut off: the model repeated the same call of bash'),
    });
    const [alike] = playedBy({ ...round(), reason: 'the last calls were alike (alikeCalls 10 of 10)' })
      .messages()
      .filter((it) => it.type === 'SubTaskOutcome');
    expect(alike?.payload).toMatchObject({ failureClass: 'Logical' });
    const [turns] = playedBy({ ...round(), reason: 'the turns of this cycle are used up (turns 10 of 10)' })
      .messages()
      .filter((it) => it.type === 'SubTaskOutcome');
    expect(turns?.payload).toMatchObject({ failureClass: 'Environmental' });
  });
});

describe('attempts that went round', () => {
  const result = (change: Partial<ExecutionResult>): ExecutionResult => ({
    ...{ subtaskId: 's', attempt: 1, status: 'Completed', output: 'It is 4.', calls: [ran({})], ...change },
  });
  const other = ran({ input: '{"command":"ls"}' });

  it.each<readonly [string, readonly ExecutionResult[], number]>([
    ['none before the first', [], 0],
    ['a first one that ended by itself', [result({})], 0],
    ['one that was cut off for it', [result({ status: 'Uncertain', failureClass: 'Logical' })], 1],
    ['one that was cut off for something else', [result({ status: 'Uncertain', failureClass: 'Environmental' })], 0],
    ['one that did and said the same', [result({}), result({ attempt: 2 })], 1],
    ['one that said something else', [result({}), result({ attempt: 2, output: 'It is 5.' })], 0],
    ['one that called something else', [result({}), result({ attempt: 2, calls: [ran({}), other] })], 0],
    ['one that called nothing', [result({}), result({ attempt: 2, calls: [] })], 0],
  ])('are counted: %s', (_, results, count) => {
    expect(circlesIn(results)).toBe(count);
  });

  it('vary what nobody has set, and no model that takes no temperature', () => {
    const model = { tier: 'Fast', model: 'own' } as const;
    expect([0, 1, 2, 9].map((it) => variedBy(it, model).temperature)).toEqual([undefined, 0.7, 1, 1]);
    expect(variedBy(2, { ...model, temperature: 0 })).toEqual({});
    expect(variedBy(2, { ...model, model: 'claude-sonnet-5-5' })).toEqual({});
  });
});
