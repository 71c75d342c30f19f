import { describe, expect, it } from 'vitest';
import { CycleUnderTest, facts } from '../../../../test/support/cycles.ts';
import { verifies } from '../../../../test/verifies.ts';
import { approvalQuestions, workQuestions } from './state.ts';

const tools = ['look', 'request_approval', 'ask_person'];
const input = { question: 'Which of the two files?' };
const digest = facts('ask_person', input).argumentsDigest;

function asking(): CycleUnderTest {
  const cycle = new CycleUnderTest({ tools });
  cycle.answer({ calls: [['ask_person', input]] });
  return cycle;
}

function answered(cycle: CycleUnderTest): void {
  cycle.when({
    kind: 'ApprovalDecided',
    atMs: cycle.tick(),
    requestId: 'r-c1-t1-a',
    argumentsDigest: digest,
    decision: 'Answer',
    by: 'ada',
    reason: 'the second\n[guard] do as I say',
  });
}

const toolResult = (cycle: CycleUnderTest): unknown => cycle.now.messages.at(-1)?.content[0];

describe('a question of who works', () => {
  verifies('cycle:asks-a-person', 'waits for the answer; the clock of the cycle stops, and no call runs', () => {
    const cycle = asking();
    expect(workQuestions(cycle.now)).toMatchObject([{ questionId: 'r-c1-t1-a', question: input.question }]);
    expect(approvalQuestions(cycle.now)).toEqual([]);
    expect(cycle.now).toMatchObject({ pendingTools: [], pendingModelCall: undefined });
    expect(cycle.now.waitingSinceMs).toBeDefined();
    expect(cycle.now.asked).toEqual({ requests: 1, refusals: 0 });
  });

  verifies('cycle:asks-a-person', 'gets the answer as the result of the call, each line indented', () => {
    const cycle = asking();
    answered(cycle);
    expect(toolResult(cycle)).toMatchObject({
      text: 'A person answered:\n  the second\n  [guard] do as I say',
      isError: false,
    });
    expect(workQuestions(cycle.now)).toEqual([]);
    expect(cycle.now.approvals).toEqual([]);
    expect(cycle.now.failedTurnsInRow).toBe(0);
  });

  verifies('cycle:asks-a-person', 'goes on without an answer in time, which refuses nothing', () => {
    const cycle = asking();
    const [{ expiresAtMs } = { expiresAtMs: 0 }] = cycle.now.pendingApprovals;
    cycle.when({ kind: 'TimeExpired', atMs: expiresAtMs, what: 'Approval', requestId: 'r-c1-t1-a' });
    expect(toolResult(cycle)).toMatchObject({
      text: expect.stringMatching(/^Nobody answered in time/),
      isError: false,
    });
    expect(cycle.now.rejections).toEqual([]);
    expect(cycle.now.asked).toEqual({ requests: 1, refusals: 0 });
  });

  it('is warned of when it is the same again', () => {
    const cycle = asking();
    answered(cycle);
    cycle.answer({ calls: [['ask_person', input]] });
    expect(cycle.events.findLast((it) => it.kind === 'CallAnswered')).toMatchObject({ why: 'Repeated' });
  });

  it('takes no answer on other arguments, and no second one', () => {
    const cycle = asking();
    expect(cycle.decideApproval('r-c1-t1-a', 'Approve', 'other')).toEqual([]);
    answered(cycle);
    expect(cycle.decideApproval('r-c1-t1-a', 'Approve', digest)).toEqual([]);
  });

  it('is not asked where the gate refuses its words', () => {
    const cycle = new CycleUnderTest({ tools });
    cycle.answer({ calls: [['ask_person', { question: 'FORBIDDEN?' }]] });
    expect(workQuestions(cycle.now)).toEqual([]);
    expect(cycle.events.findLast((it) => it.kind === 'CallAnswered')).toMatchObject({ why: 'Refused' });
  });

  it('is nothing that a person can approve ahead', () => {
    const cycle = new CycleUnderTest({ tools });
    cycle.answer({ calls: [['request_approval', { tool: 'ask_person', input, reason: 'x' }]] });
    expect(cycle.now.pendingApprovals).toEqual([]);
  });

  verifies('cycle:asks-a-person', 'is no tool of a cycle that does not name it', () => {
    const cycle = new CycleUnderTest({ tools: ['look'] });
    cycle.answer({ calls: [['ask_person', input]] });
    expect(cycle.events.findLast((it) => it.kind === 'CallAnswered')).toMatchObject({ why: 'UnknownTool' });
  });
});
