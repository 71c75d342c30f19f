import { describe, expect, it } from 'vitest';
import { newestOf } from '@retainer/contract/api/known-models';
import { CycleUnderTest } from '../../../../test/support/cycles.ts';
import { verifies } from '../../../../test/verifies.ts';
import type { CycleEvent, CycleSpec } from './event.ts';

const shared = {
  identity: 'You are Artoo.',
  task: 'The task of this run:\n  Count the rows.',
  tools: ['change', 'look', 'send'],
};

type Request = Extract<CycleEvent, { kind: 'ModelRequested' }>['request'];

function requestOf(events: readonly CycleEvent[]): Request {
  const asked = events.findLast((it) => it.kind === 'ModelRequested');
  if (asked?.kind !== 'ModelRequested') throw new Error('no model was asked');
  return asked.request;
}

const judge: Partial<CycleSpec> = {
  role: 'AgentValidator',
  structured: 'AttemptVerdicts',
  system: [{ text: 'You judge.', cache: true }],
  input: 'Task:\n  Count the rows.\n\nReply:\n  12',
  tools: [],
  shared,
};
const worker: Partial<CycleSpec> = {
  system: [
    { text: shared.identity, cache: false },
    { text: 'You work.', cache: true },
  ],
  input: 'Your task:\n  Count the rows.',
  tools: ['look', 'send'],
  shared,
};

describe('requests of a run to one model', () => {
  verifies('run:requests-begin-alike', 'have the same tools and the same first text, whoever asks', () => {
    const [first, second] = [judge, worker].map((spec) => requestOf(new CycleUnderTest(spec).events));
    expect(first?.tools.map(({ name }) => name)).toEqual(shared.tools);
    expect(second?.tools).toEqual(first?.tools);
    expect(first?.system[0]).toEqual({ text: `${shared.identity}\n\n${shared.task}`, cache: true });
    expect(second?.system).toEqual([first?.system[0], { text: 'You work.', cache: true }]);
    expect(second?.callsNoTool).toBeUndefined();
    expect(first?.callsNoTool).toBe(true);
  });

  verifies('run:task-stands-once', 'refer to the Task instead of repeating it', () => {
    const model = newestOf('Sonnet');
    const texts = [judge, worker].map(
      (spec) => requestOf(new CycleUnderTest({ ...spec, model }).events).messages[0]?.content[0],
    );
    expect(texts).toEqual([
      { type: 'Text', text: 'Task: as stated in the task of this run.\n\nReply:\n  12' },
      { type: 'Text', text: 'Your task: as stated in the task of this run.' },
    ]);
  });

  it('repeat a Task that is not long where nobody knows the model', () => {
    const textOf = (spec: Partial<CycleSpec>): unknown =>
      requestOf(new CycleUnderTest(spec).events).messages[0]?.content[0];
    expect(textOf(worker)).toEqual({ type: 'Text', text: worker.input });
    const task = `The task of this run:\n  ${'Count the rows. '.repeat(300).trim()}`;
    const long = { ...worker, input: task.replace('The task of this run', 'Your task'), shared: { ...shared, task } };
    expect(textOf(long)).toEqual({ type: 'Text', text: 'Your task: as stated in the task of this run.' });
  });

  verifies('run:only-own-tools-run', 'a call of a tool that the role may not call is refused and not run', () => {
    for (const [spec, tool] of [
      [judge, 'look'],
      [worker, 'change'],
    ] as const) {
      const cycle = new CycleUnderTest(spec);
      const events = cycle.answer({ calls: [[tool, { path: 'a' }]] });
      expect(events.map(({ kind }) => kind)).not.toContain('ToolRequested');
      expect(events).toContainEqual(expect.objectContaining({ kind: 'CallAnswered', why: 'UnknownTool' }));
      expect(cycle.now.acceptedCalls).toEqual([]);
    }
  });

  it('hold a worker to a call until it has made one, where its spec says so', () => {
    const cycle = new CycleUnderTest({ ...worker, callsFirst: true });
    expect(requestOf(cycle.events).callsTool).toBe(true);
    cycle.answer({ calls: [['look', { path: 'a' }]] });
    cycle.finish('r-c1-t1', '12 rows');
    expect(requestOf(cycle.events).callsTool).toBeUndefined();
    expect(requestOf(new CycleUnderTest({ ...judge, callsFirst: true }).events).callsTool).toBeUndefined();
  });

  it('only grow, so that a provider keeps all that came before', () => {
    const cycle = new CycleUnderTest(worker);
    const before = requestOf(cycle.events);
    cycle.answer({ calls: [['look', { path: 'a' }]] });
    cycle.finish('r-c1-t1', '12 rows');
    const after = requestOf(cycle.events);
    expect([after.tools, after.system, after.messages.slice(0, 1)]).toEqual([
      before.tools,
      before.system,
      before.messages,
    ]);
  });
});
