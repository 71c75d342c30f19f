/**
 * Decides about a person's approval: what it permits, how long it is valid, what a denial means, and when a Task demands one.
 *
 * I1  An approval permits exactly one call, by the digest of its arguments and of what stands where the call writes; it lifts no
 *     refusal.
 * I2  A denial, a late answer and a missing answer are refusals.
 *
 * Source: reliability-security 4; design 5.
 */
import type { Decided, Inquiry } from './chain/inquiry.ts';
import type { KnownTools } from './tool-facts.ts';
import type { Approval, ApprovalMode, CallFacts, EffectClass, GateContext, Policy, Verdict } from './verdict.ts';

/** Rule of a verdict: a person approved exactly this call. */
export const GRANTED = 'approval/granted';

/** Rule of a verdict: a person refused exactly this call. */
export const DENIED = 'approval/denied';

const byPeople: ReadonlySet<string> = new Set([DENIED, 'approval/timed-out']);

/** Whether a decision of this rule is a person's, and not a verdict of a gate. */
export const isOfPerson = (rule: string): boolean => byPeople.has(rule);

/** The approval that a call with this digest would use up; undefined if there is none, or if a person has denied the call. */
export function usableApproval(argumentsDigest: string, context: GateContext): Approval | undefined {
  const own = approvalsOf(argumentsDigest, context);
  if (own.some((approval) => approval.decision === 'Deny')) return undefined;
  return own.find((approval) => approval.expiresAtMs > context.nowMs && approval.standing === context.standing);
}

function approvalsOf(argumentsDigest: string, { approvals }: GateContext): readonly Approval[] {
  return approvals.filter((approval) => approval.argumentsDigest === argumentsDigest);
}

/** Refuses a call that a person denied, or whose approvals have all expired. */
export const refusedApprovalPolicy: Policy<CallFacts> = {
  name: 'approval/refused',
  judge({ argumentsDigest }, context) {
    const own = approvalsOf(argumentsDigest, context);
    const denied = own.find((approval) => approval.decision === 'Deny');
    if (denied !== undefined) return refused(DENIED, `${denied.by} denied this call: ${denied.reason}`);
    const fitting = own.filter(({ standing }) => standing === context.standing);
    const isExpired = fitting.length > 0 && fitting.every((approval) => approval.expiresAtMs <= context.nowMs);
    return isExpired
      ? refused('approval/expired', 'The approval of this call is no longer valid. Ask again where it is still needed.')
      : undefined;
  },
};

/** Refuses what a person refused before, in work that the agent begins by itself: no job tries it again. */
export const deniedBeforePolicy: Policy<CallFacts> = {
  name: 'approval/denied-before',
  judge: (_call, { deniedBefore }) =>
    deniedBefore?.call === undefined
      ? undefined
      : refused(
          'approval/denied-before',
          `A person refused this call before (${deniedBefore.call}), and no job of the agent's own tries it again. Do without it and say so.`,
        ),
};

/** Refuses, in a run in which a person refused a call, whatever lets the agent act later: a no is not put off. */
export function noJobAfterDenialPolicy(known: KnownTools): Policy<CallFacts> {
  return {
    name: 'approval/no-job-after-denial',
    judge: ({ tool }, { deniedBefore }) =>
      deniedBefore?.inRun === true && known.factsOf(tool).actsLater
        ? refused(
            'approval/no-job-after-denial',
            'A person refused a call of this work, so it leaves nothing by which the agent acts later. Say in your answer what is left to do.',
          )
        : undefined,
  };
}

/** Accepts an escalated call if a person approved exactly these arguments. */
export function grantApproved(verdict: Verdict, argumentsDigest: string, context: GateContext): Verdict {
  const approval = verdict.kind === 'Escalate' ? usableApproval(argumentsDigest, context) : undefined;
  if (approval === undefined) return verdict;
  const reason = `${approval.by} approved exactly this call: ${approval.reason}`;
  return { gate: 'Tool', kind: 'Accept', rule: GRANTED, reason };
}

export function deniedBy({ by, reason }: Pick<Approval, 'by' | 'reason'>): Verdict {
  return refused(DENIED, `${by} denied it: ${reason}`);
}

/** The verdict on a call that waited for a person who did not answer in time. */
export const notApprovedInTime: Verdict = refused('approval/timed-out', 'nobody approved it in time');

function refused(rule: string, reason: string): Verdict {
  return { gate: 'Tool', kind: 'Reject', rule, reason };
}

/** The lowest effect class that changes anything. */
const CHANGING_EFFECT_CLASS: EffectClass = 1;

interface Demand {
  readonly rule: string;
  readonly reason: string;
  holds(call: CallFacts, inquiry: Inquiry): boolean;
}

/** The questions that each mode adds to those of the policy. */
const demands: Readonly<Record<ApprovalMode, Demand | undefined>> = {
  ByPolicy: undefined,
  EveryEffect: {
    rule: 'approval-mode/every-effect',
    reason: 'The Task wants a person to approve each call that changes something.',
    holds: ({ effectClass }) => effectClass >= CHANGING_EFFECT_CLASS,
  },
  BeforeStart: {
    rule: 'approval-mode/before-start',
    reason: 'The Task wants a person to approve the first call before anything runs.',
    holds: (_call, { hasRunCalls }) => hasRunCalls !== true,
  },
};

/**
 * Escalates an accepted call if the Task demands approval and nobody has approved exactly this call.
 *
 * Source: design 5. Differs: until a first call is approved to run, every call counts as the first. So neither a denial nor a
 * second call in the same answer avoids the question.
 */
export function demandApproval(decided: Decided, inquiry: Inquiry): Decided {
  const { subject, context, approvalMode = 'ByPolicy' } = inquiry;
  const demand = demands[approvalMode];
  if (subject.gate !== 'Tool' || decided.verdict.kind !== 'Accept') return decided;
  if (demand === undefined || !demand.holds(subject.call, inquiry)) return decided;
  if (usableApproval(subject.call.argumentsDigest, context) !== undefined) return decided;
  const verdict: Verdict = { gate: 'Tool', kind: 'Escalate', rule: demand.rule, reason: demand.reason };
  return { ...decided, verdict, action: { kind: 'AskApproval' } };
}
