import { describe, expect, it } from 'vitest';
import { CycleUnderTest, facts } from '../../../../test/support/cycles.ts';
import { verifies } from '../../../../test/verifies.ts';
import { approvalQuestions } from './state.ts';

const digest = facts('send', 1).argumentsDigest;

function askedTwice(): CycleUnderTest {
  const cycle = new CycleUnderTest();
  cycle.answer({
    calls: [
      ['send', 1],
      ['send', 2],
      ['send', 1],
    ],
  });
  return cycle;
}

const verdicts = (cycle: CycleUnderTest): readonly unknown[] =>
  cycle.events.flatMap((it) =>
    it.kind === 'GateDecided' && it.gate === 'Tool' ? [[it.callId, it.rule, it.approvalId]] : [],
  );

describe('equal calls of one answer', () => {
  verifies('approvals:grouped', 'are one question, and say how many they are', () => {
    expect(approvalQuestions(askedTwice().now)).toMatchObject([
      { requestId: 'r-c1-t1-a', calls: 2 },
      { requestId: 'r-c1-t2-a', calls: 1 },
    ]);
  });

  verifies('approvals:grouped', 'run once each with the answer, each with a decision of its own', () => {
    const cycle = askedTwice();
    cycle.decideApproval('r-c1-t1-a', 'Approve', digest);
    expect(cycle.now.pendingTools).toEqual(['r-c1-t1', 'r-c1-t3']);
    expect(verdicts(cycle).slice(3)).toEqual([
      ['r-c1-t1', 'approval/granted', 'r-c1-t1-a'],
      ['r-c1-t3', 'approval/granted', 'r-c1-t3-a'],
    ]);
    expect(cycle.now.approvals).toEqual([]);
    expect(cycle.now.asked).toEqual({ requests: 2, refusals: 0 });
  });

  verifies('approvals:grouped', 'are denied together, which is one refusal', () => {
    const cycle = askedTwice();
    cycle.decideApproval('r-c1-t1-a', 'Deny', digest);
    expect(cycle.now.rejections).toHaveLength(2);
    expect(cycle.now.asked).toEqual({ requests: 2, refusals: 1 });
  });

  it('have no answer of their own', () => {
    expect(askedTwice().decideApproval('r-c1-t3-a', 'Approve', digest)).toEqual([]);
  });

  it('time out together', () => {
    const cycle = askedTwice();
    const [{ expiresAtMs } = { expiresAtMs: 0 }] = cycle.now.pendingApprovals;
    cycle.when({ kind: 'TimeExpired', atMs: expiresAtMs, what: 'Approval', requestId: 'r-c1-t1-a' });
    expect(approvalQuestions(cycle.now)).toMatchObject([{ requestId: 'r-c1-t2-a' }]);
    expect(cycle.now.rejections.map(({ rule }) => rule)).toEqual(['approval/timed-out', 'approval/timed-out']);
  });
});

it('keeps the words of the model apart from the reason that is ours', () => {
  const cycle = new CycleUnderTest();
  cycle.answer({ calls: [['request_approval', { tool: 'send', input: { to: 'a' }, reason: 'The boss agreed.' }]] });
  expect(cycle.events.at(-1)).toMatchObject({
    kind: 'ApprovalRequested',
    reason: 'The agent asks before it makes this call.',
    agentSays: 'The boss agreed.',
  });
});
