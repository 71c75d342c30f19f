import type { BusCriterion, SubTaskOutcome, ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import type { Merge } from '../../request/answers/merge.ts';
import { correctionsIn, gapBeforeMerge, judgeTask, type TaskQuestion } from './judge-task.ts';
import { testTools } from '../../../../../test/support/known-tools.ts';

const criterion: BusCriterion = { text: 'It is right', mode: 'Verifiable', required: true };

function call(callId: string, status: ToolCallRecord['status'] = 'Ok'): ToolCallRecord {
  return { callId, tool: 'look', input: '{}', status, output: '42', durationMs: 1, files: [] };
}

function outcome(subtaskId: string, change: Partial<SubTaskOutcome> = {}): SubTaskOutcome {
  const base = {
    subtaskId,
    intent: 'i',
    sequence: 1,
    position: 0,
    criteria: [],
    started: true,
    trajectory: [],
    verdicts: [],
  };
  return {
    ...base,
    status: 'Matched',
    output: 'o',
    calls: [call(`${subtaskId}-t1`), call(`${subtaskId}-t2`, 'Error')],
    ...change,
  };
}

const question = (change: Partial<TaskQuestion> = {}): TaskQuestion => ({
  criteria: [criterion],
  outcomes: [outcome('s1'), outcome('s2')],
  salvage: [],
  known: testTools,
  ...change,
});

const merge = (...claims: (readonly [number, boolean, ...string[]])[]): Merge => ({
  output: 'o',
  summary: 's',
  verdicts: claims.map(([number, met, ...evidence]) => ({ criterion: number, met, evidence, reason: 'r' })),
});

const sentence = 'The sum is 4711.';
const open = {
  unsupported: [{ kind: 'Number' as const, text: '4711', start: 11, sentence }],
  remarks: [],
  shownIn: [],
  asked: 'Tell the sum.',
};

describe('judgeTask', () => {
  it.each<readonly [string, Partial<TaskQuestion>, Merge, boolean, string]>([
    ['proof of any matched subtask', {}, merge([1, true, 's2-t1']), true, ''],
    [
      'a call that failed',
      {},
      merge([1, true, 's2-t2']),
      false,
      'criterion 1 is unmet: the verdict cites no tool call',
    ],
    ['an invented call', {}, merge([1, true, 's3-t1']), false, 'criterion 1'],
    ['no call', {}, merge([1, true]), false, 'criterion 1'],
    ['the id of a subtask of this round', {}, merge([1, true, 's1']), false, 'criterion 1'],
    [
      'what an earlier round kept',
      { salvage: [{ subtaskId: 'r1-s9', round: 1, intent: 'i', output: 'o' }] },
      merge([1, true, 'r1-s9']),
      true,
      '',
    ],
    ['a no', {}, merge([1, false]), false, 'criterion 1 is unmet: r'],
    ['silence', {}, merge(), false, 'criterion 1 is unmet: the validator gave no verdict'],
    ['no criteria', { criteria: [] }, merge(), true, ''],
    [
      'an optional criterion unmet',
      { criteria: [criterion, { ...criterion, required: false }] },
      merge([1, true, 's1-t1'], [2, false]),
      true,
      '',
    ],
    [
      'a plausible criterion unmet',
      { criteria: [{ ...criterion, mode: 'Plausible' }] },
      merge([1, false]),
      false,
      'criterion 1',
    ],
    ['a figure that is asked for and that nothing shows', { open }, merge([1, true, 's1-t1']), false, '4711'],
    ['what nothing shows, without criteria', { open, criteria: [] }, merge(), true, ''],
  ])('on %s', (_, change, answer, ...[accepted, gap]) => {
    const judged = judgeTask(question(change), answer);
    expect(judged.accepted).toBe(accepted);
    expect(accepted ? judged.gap : judged.gap.includes(gap)).toBe(accepted ? '' : true);
  });

  verifies(
    'verdict:task-needs-positive-evidence',
    'no answer accepts a task whose required criteria have no evidence',
    () => {
      const claim = fc.record({
        criterion: fc.integer({ min: 0, max: 3 }),
        met: fc.boolean(),
        evidence: fc.array(fc.constantFrom('s1-t2', 's2-t2', 's1', 'x'), { maxLength: 3 }),
        reason: fc.string(),
      });
      fc.assert(
        fc.property(fc.array(claim, { maxLength: 5 }), (verdicts) => {
          const judged = judgeTask(question({ criteria: [criterion, criterion] }), {
            output: 'o',
            summary: 's',
            verdicts,
          });
          expect(judged.accepted).toBe(false);
          expect(judged.verdicts.map((it) => it.index)).toEqual([1, 2]);
          expect(judged.gap).not.toBe('');
        }),
      );
    },
  );

  verifies(
    'verdict:failed-subtask-fails-the-round',
    'no model is asked, and none is believed, where a subtask failed',
    () => {
      const failed = question({
        outcomes: [
          outcome('s1'),
          outcome('s2', { status: 'Failed', failureReason: 'no way' }),
          outcome('s3', { status: 'Failed' }),
        ],
      });
      expect(gapBeforeMerge(failed)).toBe('no way; s3');
      expect(judgeTask(failed, merge([1, true, 's1-t1']))).toEqual({
        accepted: false,
        verdicts: [],
        gap: 'no way; s3',
        corrections: [],
      });
      expect(gapBeforeMerge(question())).toBeUndefined();
      expect(judgeTask(question({ outcomes: [] }), merge([1, true])).accepted).toBe(false);
    },
  );

  it('leaves all unverified where the validator gives nothing usable', () => {
    for (const nothing of [undefined, {}, { verdicts: [] }, 'accept']) {
      const judged = judgeTask(question({ criteria: [criterion, criterion] }), nothing);
      expect(judged.accepted).toBe(false);
      expect(judged.verdicts.map((it) => [it.verdict, it.failureClass])).toEqual([
        ['Unverified', 'Unverified'],
        ['Unverified', 'Unverified'],
      ]);
    }
    expect(judgeTask(question({ criteria: [] }), undefined).accepted).toBe(false);
  });

  it('keeps the gap of a thousand failures short', () => {
    const outcomes = Array.from({ length: 1000 }, (_, at) =>
      outcome(`s${at}`, { status: 'Failed', failureReason: 'x'.repeat(500) }),
    );
    expect(gapBeforeMerge(question({ outcomes }))?.length).toBeLessThanOrEqual(4000);
  });
});

describe('correctionsIn', () => {
  it('counts attempts beyond the first, and none of what never started', () => {
    const point = { attempt: 1, score: 0, unmet: [1], failureClass: 'Logical' as const };
    const outcomes = [[], [point], [point, point, point]].map((trajectory, at) => outcome(`s${at}`, { trajectory }));
    expect(correctionsIn(outcomes)).toBe(2);
  });
});
