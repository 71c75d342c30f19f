/** What a Task wants a person to see beyond what the character's policy asks for. Only ever stricter than the gate. */
import type { CallFacts, Verdict } from '../gate/verdict.ts';
import type { CycleState } from './state.ts';

/** The lowest effect class that changes anything. */
const effectClassMin = 1;

interface Demand {
  readonly rule: string;
  readonly reason: string;
  readonly holds: (state: CycleState, facts: CallFacts) => boolean;
}

const demands: Readonly<Record<NonNullable<CycleState['spec']['approvalMode']>, Demand | undefined>> = {
  ByPolicy: undefined,
  EveryEffect: {
    rule: 'approval-mode/every-effect',
    reason: 'The Task wants a person to approve each call that changes something.',
    holds: (_, facts) => facts.effectClass >= effectClassMin,
  },
  BeforeStart: {
    rule: 'approval-mode/before-start',
    reason: 'The Task wants a person to approve the first call before anything runs.',
    holds: (state) => state.calls.every((call) => call.end.kind === 'Unrun'),
  },
};

/**
 * Turns an acceptance into a question where the Task demands it and no approval of exactly this call is in hand.
 *
 * Source: design 5.8. Differs: as long as nothing was approved to run, each call counts as the first, so that neither a
 * denial nor a second call of the same answer is a way around the question.
 */
export function withApprovalMode(verdict: Verdict, state: CycleState, facts: CallFacts): Verdict {
  const demand = demands[state.spec.approvalMode ?? 'ByPolicy'];
  if (verdict.kind !== 'Accept' || demand === undefined || !demand.holds(state, facts)) return verdict;
  const isApproved = state.approvals.some(
    (it) => it.argumentsDigest === facts.argumentsDigest && it.decision === 'Approve' && it.expiresAtMs > state.nowMs,
  );
  return isApproved ? verdict : { gate: 'Tool', kind: 'Escalate', rule: demand.rule, reason: demand.reason };
}
