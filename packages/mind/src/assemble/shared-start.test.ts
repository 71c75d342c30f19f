import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { assembleAttemptInput } from './attempt-input.ts';
import { assembleMergeInput } from './merge-input.ts';
import { assemblePerceiverInput } from './perceiver-input.ts';
import { saidAgain, saidOnce, taskSections, type TaskWords } from './shared-start.ts';
import { assembleSubtaskInput } from './subtask-input.ts';

const task: TaskWords = {
  intent: 'Sum the sales\nof March.',
  scope: 'sales.csv',
  criteria: [
    { text: 'The sum is in results/sum.txt.', mode: 'Verifiable', required: true },
    { text: 'The answer is short.', mode: 'Plausible', required: false },
  ],
};
const { intent, scope = '', criteria } = task;
const plain = criteria.map(({ text }, at) => `${at + 1}. ${text}`).join('\n');
const rawInput = `${intent}\n\nBackground:\nA shop.\n\nKeep to: ${scope}\n\nThe result is judged by:\n${plain}`;

const subtask = {
  ...{ subtaskId: 's1', sequence: 1, position: 1, plannedTools: [], blocked: { tools: [], targets: [] } },
  ...{ intent, context: 'A shop.', criteria: [...criteria] },
};
const result = { subtaskId: 's1', attempt: 1, status: 'Completed', output: 'It is 12.', calls: [] } as const;

const inputs = {
  perceiver: assemblePerceiverInput({
    ...{ rawInput, scope, criteria, history: [], user: [], clarifications: [], canAsk: true },
  }),
  executor: assembleSubtaskInput({ subtask, scope, earlierCalls: [] }),
  validator: assembleAttemptInput({ nowMs: 0, subtask, result: { ...result, calls: [] } }),
  merge: assembleMergeInput({
    ...{ nowMs: 0, intent, scope, outcomes: [], salvage: [] },
    criteria: [...criteria, { text: 'Nothing else was written.', mode: 'Verifiable', required: true }],
  }),
};

const countOf = (text: string, part: string): number => text.split(part).length - 1;

describe.each(Object.entries(inputs))('the request of the %s', (_role, input) => {
  const sections = taskSections(task);
  const short = saidOnce(input, sections);

  verifies('run:task-stands-once', 'holds the Task and each criterion once', () => {
    const request = `${sections}\n\n${short}`;
    for (const part of ['Sum the sales', scope, ...criteria.map(({ text }) => text)])
      expect(countOf(request, part)).toBe(1);
  });

  it('is read by a script as if it were repeated', () => {
    const again = saidAgain(short, sections);
    for (const part of ['  Sum the sales\n  of March.', 'criterion 1: The sum', 'criterion 2'])
      expect(again).toContain(part);
    expect(saidOnce(again, sections)).toBe(short);
  });
});

describe('an input with other words', () => {
  const step = {
    ...subtask,
    intent: 'Read sales.csv.',
    criteria: [{ text: 'It was read.', mode: 'Verifiable' as const, required: true }],
  };

  it('stays as it is', () => {
    const input = assembleSubtaskInput({ subtask: step, earlierCalls: [] });
    expect(saidOnce(input, taskSections(task))).toBe(input);
  });

  it('stays as it is where the Task is only a part of it, or stands in nothing that is shared', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), (before, after) => {
        const text = `Note ${before.replaceAll(/\s/g, '')}: ${intent} ${after.trim()}x`;
        expect(saidOnce(text, taskSections(task))).toBe(text);
        expect(saidOnce(inputs.executor, '')).toBe(inputs.executor);
      }),
    );
  });
});
