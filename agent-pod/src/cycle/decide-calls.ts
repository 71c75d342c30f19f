/**
 * What becomes of the tool calls of one answer: each is run, refused, put before a person, or answered with what is
 * wrong. None is left without an answer.
 *
 * Source: springdrift 6.8, 17 (L5); artoo RES-11 (repeated calls); reliability-security 4.9 (approvals).
 */
import { ApprovalRequest, REQUEST_APPROVAL } from '../gate/approval-request.ts';
import { blockedReason } from '../gate/blocked-call.ts';
import type { CallFacts, Verdict } from '../gate/verdict.ts';
import { withApprovalMode } from './approval-mode.ts';
import { ASKED_AHEAD, awaitingCalls, requestApproval } from './approval-requests.ts';
import { decideRequest } from './decide-request.ts';
import { allowedText, endCycle, gateContext, push, type Draft } from './draft.ts';
import type { CycleInput, UnrunReason } from './event.ts';
import type { CallRecord, OpenCall } from './state.ts';

/** Identical calls that already ran before one more is a loop: the first repeat is warned, the next ends the cycle. */
const identicalRunsMax = 2;

export function decideCalls(draft: Draft, input: Extract<CycleInput, { kind: 'ModelAnswered' }>): void {
  for (const call of draft.state.openCalls) {
    if (input.answer.stop === 'MaxTokens') {
      answer(
        draft,
        call,
        'CutOff',
        'The answer was cut off at the output limit, so this call may be incomplete. Send it again, smaller.',
      );
    } else {
      decideCall(draft, call);
    }
    if (draft.state.ended !== undefined) return;
  }
  decideRequest(draft);
}

function decideCall(draft: Draft, call: OpenCall): void {
  const { spec } = draft.state;
  if (draft.state.calls.length >= spec.limits.toolCalls) {
    return answer(
      draft,
      call,
      'LimitReached',
      `All ${spec.limits.toolCalls} tool calls of this cycle are used up. Answer with what you have.`,
    );
  }
  if (!spec.tools.includes(call.tool) || !draft.config.catalog.has(call.tool)) {
    return answer(
      draft,
      call,
      'UnknownTool',
      `There is no tool ${JSON.stringify(call.tool.slice(0, 100))}. Tools: ${spec.tools.join(', ')}.`,
    );
  }
  const facts = draft.config.catalog.parse(call.tool, call.input);
  if (!facts.ok) return answer(draft, call, 'InvalidArguments', facts.error);
  if (call.tool === REQUEST_APPROVAL) return decideApprovalRequest(draft, call);
  const blocked = blockedReason(spec.blocked, call.tool, call.input);
  if (blocked !== undefined) return answer(draft, call, 'Blocked', blocked);
  if (isRepeated(draft, call, facts.value)) return;
  return decideGated(draft, call, facts.value);
}

/**
 * True when the call was answered as a repetition. A call whose result is unknown may be made again.
 *
 * Calls that could not be read (no such tool, wrong arguments, cut off) do not stand between two that are the same.
 */
function isRepeated(draft: Draft, call: OpenCall, facts: CallFacts): boolean {
  const calls = sinceUnknown(draft.state.calls);
  const isSame = (it: CallRecord | undefined): boolean => it?.argumentsDigest === facts.argumentsDigest;
  const isConsecutive = isSame(calls.findLast((it) => it.argumentsDigest !== ''));
  const runs = calls.filter((it) => isSame(it) && it.end.kind !== 'Unrun').length;
  if (!isConsecutive && runs <= identicalRunsMax) return false;
  const warned = calls.filter((it) => it.end.kind === 'Unrun' && it.end.why === 'Repeated').length;
  answer(
    draft,
    call,
    'Repeated',
    'This is the same call as before; its result will not change. Do something else, or answer.',
  );
  if (warned > 0) {
    push(draft, { kind: 'LimitReached', limit: 'identicalCalls', value: warned + 1, max: 1 });
    endCycle(draft, {
      outcome: 'OutOfBudget',
      text: allowedText(draft),
      reason: `the model repeated the same call of ${call.tool}`,
    });
  }
  return true;
}

/** After a result that a restart left unknown, looking once more is the right thing to do: the count begins anew. */
function sinceUnknown(calls: readonly CallRecord[]): readonly CallRecord[] {
  const unknown = calls.findLastIndex((it) => it.end.kind === 'Ran' && it.end.outcome.status === 'Unknown');
  return calls.slice(unknown + 1);
}

function decideGated(draft: Draft, call: OpenCall, facts: CallFacts): void {
  const policy = draft.config.gate.tool(facts, gateContext(draft.state, call));
  const verdict = withApprovalMode(policy, draft.state, facts);
  const approval = draft.state.approvals.find((it) => it.argumentsDigest === facts.argumentsDigest);
  const approvalId = approval === undefined ? {} : { approvalId: approval.requestId };
  recordVerdict(draft, call, facts, { ...verdict, ...approvalId });
  switch (verdict.kind) {
    case 'Accept':
      return push(draft, {
        kind: 'ToolRequested',
        callId: call.callId,
        tool: call.tool,
        input: call.input as never,
        argumentsDigest: facts.argumentsDigest,
        effectClass: facts.effectClass,
        ...approvalId,
      });
    case 'Escalate':
      return requestApproval(draft, call, facts, { reason: verdict.reason });
    case 'Modify':
    case 'Reject':
      return answer(draft, call, 'Refused', `[refused] ${verdict.reason} (rule ${verdict.rule})`);
  }
}

function recordVerdict(
  draft: Draft,
  call: OpenCall,
  facts: CallFacts,
  verdict: Verdict & { readonly approvalId?: string },
): void {
  push(draft, {
    kind: 'GateDecided',
    gate: 'Tool',
    verdict: verdict.kind,
    rule: verdict.rule,
    reason: verdict.reason,
    callId: call.callId,
    tool: call.tool,
    effectClass: facts.effectClass,
    argumentsDigest: facts.argumentsDigest,
    characterDigest: draft.config.gate.characterDigest,
    ...(verdict.approvalId === undefined ? {} : { approvalId: verdict.approvalId }),
  });
}

/** The model asks ahead: the approval is bound to the call it names, and waits for it. */
function decideApprovalRequest(draft: Draft, call: OpenCall): void {
  const asked = ApprovalRequest.safeParse(call.input);
  if (!asked.success) return answer(draft, call, 'InvalidArguments', 'Name the tool, its input, and the reason.');
  const { tool, input, reason } = asked.data;
  const isKnown = tool !== REQUEST_APPROVAL && draft.state.spec.tools.includes(tool) && draft.config.catalog.has(tool);
  if (!isKnown)
    return answer(
      draft,
      call,
      'InvalidArguments',
      `There is no tool ${JSON.stringify(tool.slice(0, 100))} to ask leave for.`,
    );
  const blocked = blockedReason(draft.state.spec.blocked, tool, input);
  if (blocked !== undefined) return answer(draft, call, 'Blocked', blocked);
  const target = draft.config.catalog.parse(tool, input);
  if (!target.ok) return answer(draft, call, 'InvalidArguments', target.error);
  requestApproval(draft, call, target.value, { reason: ASKED_AHEAD, agentSays: reason });
}

/** A person has decided: each call that waited for the answer is gated anew, with an approval of its own in hand. */
export function decideApproved(draft: Draft, input: Extract<CycleInput, { kind: 'ApprovalDecided' }>): void {
  for (const call of awaitingCalls(draft.state, input.requestId)) {
    if (input.decision === 'Deny') {
      denied(draft, call, {
        rule: 'approval/denied',
        reason: `${input.by} denied it: ${input.reason}`,
        argumentsDigest: input.argumentsDigest,
      });
    } else if (call.tool === REQUEST_APPROVAL) {
      answer(
        draft,
        call,
        'Approved',
        `${input.by} approved exactly this call: ${input.reason}. Make it now, with the same arguments.`,
      );
    } else {
      const facts = draft.config.catalog.parse(call.tool, call.input);
      if (facts.ok) decideGated(draft, call, facts.value);
    }
  }
  decideRequest(draft);
}

/** Nobody answered in time: that is a refusal. */
export function decideApprovalExpired(draft: Draft, requestId: string | undefined): void {
  for (const call of awaitingCalls(draft.state, requestId))
    denied(draft, call, { rule: 'approval/timed-out', reason: 'nobody approved it in time' });
  decideRequest(draft);
}

function denied(
  draft: Draft,
  call: OpenCall,
  why: { readonly rule: string; readonly reason: string; readonly argumentsDigest?: string },
): void {
  push(draft, {
    kind: 'GateDecided',
    gate: 'Tool',
    verdict: 'Reject',
    callId: call.callId,
    tool: call.tool,
    characterDigest: draft.config.gate.characterDigest,
    ...why,
  });
  answer(draft, call, 'Denied', `[refused] ${why.reason} (rule ${why.rule})`);
}

/** Answers of calls that were understood: their digest is known and kept, so that a repetition is seen. */
const understood: ReadonlySet<UnrunReason> = new Set(['Refused', 'Denied', 'Repeated', 'Blocked', 'Approved']);

function answer(draft: Draft, call: OpenCall, why: UnrunReason, text: string): void {
  const facts = understood.has(why) ? draft.config.catalog.parse(call.tool, call.input) : undefined;
  const digest = facts?.ok === true ? { argumentsDigest: facts.value.argumentsDigest } : {};
  push(draft, { kind: 'CallAnswered', callId: call.callId, tool: call.tool, why, text, ...digest });
}
