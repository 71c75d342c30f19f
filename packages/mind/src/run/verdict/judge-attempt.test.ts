import type { BusCriterion, ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import type { AttemptVerdicts, ClaimedVerdict } from '../../request/answers/attempt-verdicts.ts';
import { judgeAttempt, judgeWithoutValidator, type Attempt } from './judge-attempt.ts';
import type { ExecutionResult } from './pre-gates.ts';
import { testTools } from '../../../../../test/support/known-tools.ts';

const criterion: BusCriterion = { text: 'The sum is shown', mode: 'Verifiable', required: true };
const optional: BusCriterion = { text: 'It is pretty', mode: 'Plausible', required: false };

function call(callId: string, change: Partial<ToolCallRecord> = {}): ToolCallRecord {
  return { callId, tool: 'read_file', input: '{}', status: 'Ok', output: '42', durationMs: 1, files: [], ...change };
}

function resultOf(change: Partial<ExecutionResult> = {}): ExecutionResult {
  return { subtaskId: 's1', attempt: 1, status: 'Completed', output: 'It is 42.', calls: [call('t1')], ...change };
}

function attemptOf(result: Partial<ExecutionResult> = {}, change: Partial<Attempt> = {}): Attempt {
  return { criteria: [criterion], result: resultOf(result), maxRetries: 2, known: testTools, ...change };
}

const say = (number: number, evidence: readonly string[], change: Partial<ClaimedVerdict> = {}): ClaimedVerdict => ({
  criterion: number,
  met: true,
  evidence: [...evidence],
  reason: 'r',
  ...change,
});

const answer = (...verdicts: ClaimedVerdict[]): AttemptVerdicts => ({ verdicts, whatWasWrong: '', whatToDo: '' });

const refusal = { rule: 'never/x', reason: 'it is forbidden' };
const refused = call('t2', { status: 'Unrun', tool: 'bash', output: '[refused]', refusal });

describe('judgeWithoutValidator', () => {
  it.each<readonly [string, Attempt, object | undefined]>([
    [
      'a refusal',
      attemptOf({ calls: [call('t1'), refused] }),
      { kind: 'Failed', failureClass: 'Policy', reason: 'it is forbidden (rule never/x)' },
    ],
    [
      'a refusal of one that failed, too',
      attemptOf({ status: 'Failed', reason: 'network', calls: [refused] }),
      { failureClass: 'Policy' },
    ],
    ['a refusal that was lifted', attemptOf({ calls: [refused, call('t3', { tool: 'bash' })] }), undefined],
    [
      'a refusal that another call went around',
      attemptOf({ calls: [refused, call('t3', { tool: 'bash', input: '{"a":1}' })] }),
      { failureClass: 'Policy' },
    ],
    [
      'a tool blocked in this round',
      attemptOf({ calls: [call('t1'), { ...refused, refusal: { ...refusal, rule: 'blocked/tool' } }] }),
      undefined,
    ],
    [
      'a model that failed',
      attemptOf({ status: 'Failed', reason: 'the model failed', failureClass: 'Infrastructure' }),
      { kind: 'Failed', failureClass: 'Infrastructure', reason: 'the model failed' },
    ],
    [
      'a time-out of the runtime',
      attemptOf({ status: 'Uncertain', reason: 'context deadline exceeded' }),
      { failureClass: 'Infrastructure' },
    ],
    ['a completed attempt that speaks of time-outs', attemptOf({ reason: 'timeout' }), undefined],
    [
      'a failed executor',
      attemptOf({ status: 'Failed', reason: 'it gave up' }),
      { kind: 'Failed', failureClass: 'Logical', reason: 'it gave up' },
    ],
    [
      'nothing that ran',
      attemptOf({ calls: [] }),
      { kind: 'Retry', signal: { attempt: 2, failureClass: 'Logical', failedCriterion: criterion.text } },
    ],
    [
      'nothing that succeeded',
      attemptOf({ calls: [call('t1', { status: 'Error', output: 'no such file' })] }),
      { kind: 'Retry', signal: { failureClass: 'Environmental' } },
    ],
    [
      'nothing that ran, for the last time',
      attemptOf({ calls: [], attempt: 3 }),
      { kind: 'Failed', reason: `${criterion.text}: no tool call ran and succeeded, so nothing proves it` },
    ],
    ['no criteria', attemptOf({ calls: [] }, { criteria: [] }), { kind: 'Matched' }],
    [
      'no criteria, not finished',
      attemptOf({ status: 'Uncertain' }, { criteria: [] }),
      { kind: 'Retry', signal: { failedCriterion: 'The subtask is done' } },
    ],
    ['no criteria, failed', attemptOf({ status: 'Failed' }, { criteria: [] }), { kind: 'Failed' }],
    ['optional criteria only, nothing ran', attemptOf({ calls: [] }, { criteria: [optional] }), { kind: 'Matched' }],
    ['something to judge', attemptOf(), undefined],
    [
      'an attempt that was cut off, with evidence',
      attemptOf({ status: 'Uncertain', reason: 'the turns are used up', failureClass: 'Environmental' }),
      { kind: 'Retry', signal: { whatWasWrong: 'the work was cut off: the turns are used up' } },
    ],
    [
      'an attempt that was cut off, with nothing required',
      attemptOf({ status: 'Uncertain', attempt: 3 }, { criteria: [optional] }),
      { kind: 'Failed', reason: expect.stringMatching(/cut off/) },
    ],
  ])('on %s', (_, attempt, end) => {
    const judged = judgeWithoutValidator(attempt);
    if (end === undefined) expect(judged).toBeUndefined();
    else expect(judged?.end).toMatchObject(end);
  });

  verifies(
    'verdict:no-validator-where-code-knows',
    'a validator’s answer cannot lift what was decided before it',
    () => {
      const all = answer(say(1, ['t1', 't2']));
      for (const attempt of [
        attemptOf({ calls: [] }),
        attemptOf({ status: 'Failed' }),
        attemptOf({ calls: [call('t1'), refused] }),
      ]) {
        expect(judgeAttempt(attempt, all)).toEqual(judgeWithoutValidator(attempt));
        expect(judgeAttempt(attempt, all).end.kind).not.toBe('Matched');
      }
    },
  );
});

describe('judgeAttempt', () => {
  const calls = [
    call('t0', { tool: 'write_file', target: 'b' }),
    call('t1'),
    call('t2', { status: 'Error', tool: 'write_file', target: 'a' }),
    call('t3', { status: 'Unknown' }),
  ];
  const judge = (...verdicts: ClaimedVerdict[]) => judgeAttempt(attemptOf({ calls }), answer(...verdicts));

  verifies(
    'verdict:met-needs-evidence',
    'a verdict that cites no call of this subtask that ran and succeeded is unmet',
    () => {
      for (const ids of [[], ['t9'], ['s1'], ['t3'], ['run-r1-s1-t1']]) {
        expect(judge(say(1, ids)).verdicts).toMatchObject([{ verdict: 'Unmet', evidence: [] }]);
      }
      expect(judge(say(1, ['t9', 't1', 't1'])).verdicts).toEqual([
        { index: 1, verdict: 'Met', basis: 'Judged', evidence: ['t1'], reason: 'r' },
      ]);
      expect(judge(say(1, ['t1'])).end).toEqual({ kind: 'Matched' });
    },
  );

  verifies(
    'verdict:status-contradicts-claims',
    'a claim that rests on a call that failed is unmet, unless the same was done again',
    () => {
      const listed = [
        call('t1', { tool: 'write_file', target: 'a', status: 'Error' }),
        call('t2', { tool: 'list_files' }),
      ];
      const on = (more: readonly ToolCallRecord[], ...ids: string[]) =>
        judgeAttempt(attemptOf({ calls: [...listed, ...more] }), answer(say(1, ids))).verdicts[0]?.verdict;
      expect(on([], 't1', 't2')).toBe('Unmet');
      expect(on([call('t3', { tool: 'write_file', target: 'b' })], 't1', 't2')).toBe('Unmet');
      expect(on([call('t3', { tool: 'write_file', target: 'a' })], 't1', 't3')).toBe('Met');
      expect(on([call('t3', { tool: 'write_file', target: 'a', status: 'TimedOut' })], 't1', 't2')).toBe('Unmet');
      const scripts = [
        call('t1', { tool: 'bash', target: 'x', status: 'Error' }),
        call('t2', { tool: 'bash', target: 'y' }),
      ];
      expect(judgeAttempt(attemptOf({ calls: scripts }), answer(say(1, ['t1', 't2']))).verdicts[0]?.verdict).toBe(
        'Met',
      );
      expect(
        judgeAttempt(attemptOf({ calls: scripts.toReversed() }), answer(say(1, ['t1', 't2']))).verdicts[0]?.verdict,
      ).toBe('Unmet');
    },
  );

  verifies('verdict:every-criterion-once', 'by index: a missing, doubled or strange verdict proves nothing', () => {
    const two = attemptOf({}, { criteria: [criterion, { ...criterion, text: 'second' }] });
    const of = (...verdicts: ClaimedVerdict[]) => judgeAttempt(two, answer(...verdicts));
    const word = (...verdicts: ClaimedVerdict[]) => of(...verdicts).verdicts.map((it) => it.verdict);
    const yes = (index: number) => say(index, ['t1']);
    expect(word(yes(1), yes(2))).toEqual(['Met', 'Met']);
    expect(word(yes(2), yes(1))).toEqual(['Met', 'Met']);
    expect(word(yes(1))).toEqual(['Met', 'Unmet']);
    expect(word(yes(1), yes(1), yes(2))).toEqual(['Unmet', 'Met']);
    expect(word(yes(0), yes(3), yes(1.5), yes(-1))).toEqual(['Unmet', 'Unmet']);
    expect(of(yes(1), yes(7)).corrections).toEqual([
      'verdict on criterion 7, which does not exist, was ignored',
      'criterion 2: the validator gave no verdict',
    ]);
    expect(of(...Array.from({ length: 1000 }, () => yes(9))).corrections.length).toBeLessThan(100);
  });

  it('is never matched, whatever a validator says, while a required criterion has no evidence', () => {
    const anyVerdict = fc.record({
      criterion: fc.integer({ min: -1, max: 5 }),
      met: fc.boolean(),
      evidence: fc.array(fc.constantFrom('t1', 't2', 't3', 'x', 'toString'), { maxLength: 4 }),
      reason: fc.string(),
    });
    const criteria = [criterion, optional, criterion];
    fc.assert(
      fc.property(fc.array(anyVerdict, { maxLength: 6 }), (verdicts) => {
        const judged = judgeAttempt(attemptOf({ calls }, { criteria }), { verdicts, whatWasWrong: '', whatToDo: '' });
        expect(judged.verdicts.map((it) => it.index)).toEqual([1, 2, 3]);
        for (const it of judged.verdicts.filter(({ verdict }) => verdict === 'Met'))
          expect(it.evidence).toEqual(['t1']);
        const isMatched = judged.verdicts[0]?.verdict === 'Met' && judged.verdicts[2]?.verdict === 'Met';
        expect(judged.end.kind === 'Matched').toBe(isMatched);
        expect(judged.point.score).toBeCloseTo(1 - judged.point.unmet.length / 3);
      }),
    );
  });

  it('matches with an optional criterion unmet, and says so in the trajectory', () => {
    const judged = judgeAttempt(
      attemptOf({}, { criteria: [criterion, optional] }),
      answer(say(1, ['t1']), say(2, [], { met: false, failureClass: 'Logical' })),
    );
    expect(judged).toMatchObject({
      end: { kind: 'Matched' },
      point: { score: 0.5, unmet: [2], failureClass: 'Logical' },
    });
  });

  it('does not match when criteria contradict each other, however the validator turns it', () => {
    const both = [
      { ...criterion, text: 'It is 4' },
      { ...criterion, text: 'It is not 4' },
    ];
    const judged = judgeAttempt(
      attemptOf({}, { criteria: both }),
      answer(say(1, ['t1']), say(2, ['t1'], { met: false })),
    );
    expect(judged.end.kind).toBe('Retry');
  });

  verifies('verdict:retries-are-corrections', 'maxRetries 2: three attempts, then failed', () => {
    const no = {
      ...answer(say(1, [], { met: false, failureClass: 'Logical', reason: 'it is 41' })),
      whatWasWrong: 'wrong',
      whatToDo: 'add again',
    };
    const ends = [1, 2, 3, 4].map((attempt) => judgeAttempt(attemptOf({ attempt }), no).end);
    expect(ends.map((it) => it.kind)).toEqual(['Retry', 'Retry', 'Failed', 'Failed']);
    expect(ends[0]).toEqual({
      kind: 'Retry',
      signal: {
        subtaskId: 's1',
        attempt: 2,
        failedCriterion: criterion.text,
        failureClass: 'Logical',
        whatWasWrong: 'wrong',
        whatToDo: 'add again',
      },
    });
    expect(ends[2]).toEqual({ kind: 'Failed', reason: `${criterion.text}: it is 41`, failureClass: 'Logical' });
    expect(judgeAttempt(attemptOf({}, { maxRetries: 0 }), no).end.kind).toBe('Failed');
  });

  it('names the first unmet required criterion in a correction', () => {
    const criteria = [optional, criterion, { ...criterion, text: 'third' }];
    const judged = judgeAttempt(
      attemptOf({}, { criteria }),
      answer(...[1, 2, 3].map((it) => say(it, [], { met: false }))),
    );
    expect(judged.end).toMatchObject({ kind: 'Retry', signal: { failedCriterion: criterion.text, whatWasWrong: 'r' } });
    expect(judged.end.kind === 'Retry' && judged.end.signal.whatToDo).not.toBe('');
  });

  verifies(
    'verdict:validators-own-failure',
    'a validator that gives nothing usable leaves all unverified, and costs the subtask no correction',
    () => {
      for (const nothing of [undefined, null, 'yes', { verdicts: 'all met' }, { verdicts: [{ criterion: '1' }] }]) {
        const judged = judgeAttempt(attemptOf(), nothing);
        expect(judged.verdicts).toMatchObject([{ verdict: 'Unverified', failureClass: 'Unverified' }]);
        expect(judged).toMatchObject({
          end: { kind: 'Failed', failureClass: 'Unverified' },
          point: { failureClass: 'None', unmet: [1] },
        });
      }
    },
  );

  const open = (sentence: string, change: object = {}) => ({
    unsupported: [{ kind: 'Number' as const, text: '4711', start: sentence.indexOf('4711'), sentence }],
    remarks: [],
    shownIn: [],
    asked: 'Do it.',
    ...change,
  });

  verifies(
    'verdict:nothing-unsupported-matches',
    'what the output says and nothing shows keeps a criterion unmet that hangs on it, blames no approach, and is told once',
    () => {
      const on = (attempt: number, isToldUnshown: boolean) =>
        judgeAttempt(attemptOf({ attempt }, { open: open('The sum is 4711.'), isToldUnshown }), answer(say(1, ['t1'])));
      expect(on(1, false)).toMatchObject({
        end: { kind: 'Retry', signal: { failureClass: 'Unverified', whatWasWrong: expect.stringContaining('4711') } },
        verdicts: [{ verdict: 'Unmet', failureClass: 'Unverified' }],
        point: { failureClass: 'None' },
      });
      expect(on(2, true).end).toMatchObject({ kind: 'Failed', failureClass: 'Unverified' });
    },
  );

  verifies(
    'verdict:unsupported-blocks-nothing',
    'what no criterion hangs on costs neither match nor correction',
    () => {
      const pretty = { ...criterion, text: 'The page is there' };
      const remark = { open: open('It saved 4711 keystrokes.') };
      expect(judgeAttempt(attemptOf({}, { ...remark, criteria: [pretty] }), answer(say(1, ['t1']))).end.kind).toBe(
        'Matched',
      );
      expect(judgeAttempt(attemptOf({}, { ...remark, criteria: [] }), undefined).end.kind).toBe('Matched');
      const other = open('It saved 4711 keystrokes.', { shownIn: ['The sum is 42.'] });
      expect(judgeAttempt(attemptOf({}, { open: other }), answer(say(1, ['t1']))).end.kind).toBe('Matched');
    },
  );

  it.each<readonly [string, ClaimedVerdict['failureClass'], string, readonly ToolCallRecord[], string]>([
    ['stays', 'Logical', 'wrong sum', [], 'Logical'],
    ['is Logical where the validator names none', undefined, 'wrong sum', [], 'Logical'],
    ['is promoted by the reason', 'Logical', 'Permission denied on a.csv', [], 'Environmental'],
    [
      'is promoted by a failed call',
      'Logical',
      'r',
      [call('t2', { status: 'Error', output: 'cat: a: No such file or directory' })],
      'Environmental',
    ],
    [
      'is promoted by a call that took too long',
      'Logical',
      'r',
      [call('t2', { status: 'TimedOut', output: '' })],
      'Environmental',
    ],
    [
      'is promoted by a shell that went on',
      'Logical',
      'r',
      [call('t2', { tool: 'bash', output: 'jq: command not found\ndone' })],
      'Environmental',
    ],
    [
      'is not promoted by what a page says',
      'Logical',
      'r',
      [call('t2', { tool: 'fetch_url', output: 'Error: not found' })],
      'Logical',
    ],
    ['is never demoted', 'Environmental', 'r', [], 'Environmental'],
    [
      'is promoted by the end of megabytes',
      'Logical',
      'r',
      [call('t2', { status: 'Error', output: `${'x'.repeat(3_000_000)} connection refused` })],
      'Environmental',
    ],
  ])('the class of an unmet criterion %s', (_, ...[failureClass, reason, more, expected]) => {
    const claim = say(1, [], { met: false, reason, ...(failureClass === undefined ? {} : { failureClass }) });
    const judged = judgeAttempt(attemptOf({ calls: [call('t1'), ...more] }), answer(claim));
    expect(judged.verdicts[0]?.failureClass).toBe(expected);
  });

  it('adds the classes of an attempt up', () => {
    const criteria = [criterion, criterion, criterion];
    const of = (...classes: ('Logical' | 'Environmental')[]) =>
      judgeAttempt(
        attemptOf({}, { criteria }),
        answer(...classes.map((failureClass, at) => say(at + 1, [], { met: false, failureClass }))),
      ).point.failureClass;
    expect(of('Logical', 'Logical', 'Logical')).toBe('Logical');
    expect(of('Environmental', 'Environmental', 'Environmental')).toBe('Environmental');
    expect(of('Logical', 'Environmental', 'Logical')).toBe('Mixed');
    expect(of()).toBe('None');
  });

  it('bounds what a validator says', () => {
    const judged = judgeAttempt(attemptOf(), {
      ...answer(say(1, [], { met: false, reason: 'x'.repeat(3_000_000) })),
      whatWasWrong: 'y'.repeat(3_000_000),
      whatToDo: 'z'.repeat(3_000_000),
    });
    expect(JSON.stringify(judged).length).toBeLessThan(10_000);
  });
});
