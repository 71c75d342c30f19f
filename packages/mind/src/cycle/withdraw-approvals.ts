/**
 * What becomes of open questions to people when the character changes: the gate judges each call anew. A question stays if the
 * same rule still asks it; any other is withdrawn, and its call is decided like a new one.
 */
import { ApprovalRequest, REQUEST_APPROVAL } from '../gate/approval-request.ts';
import { ASK_PERSON } from '../gate/person-question.ts';
import { gateContext, push, type Draft } from './draft.ts';
import { nextStep } from './inquire.ts';
import type { OpenCall, PendingApproval } from './state.ts';

const WHY = 'the character has changed, and decides otherwise about this call';

/** @returns whether any was withdrawn */
export function withdrawApprovals(draft: Draft): boolean {
  const { pendingApprovals } = draft.state;
  const gone = new Set(pendingApprovals.filter((it) => !isStillAsked(draft, it)).map(({ requestId }) => requestId));
  for (const { requestId, callId, answeredWith } of pendingApprovals)
    if (gone.has(requestId) || (answeredWith !== undefined && gone.has(answeredWith)))
      push(draft, { kind: 'ApprovalWithdrawn', requestId, callId, reason: WHY });
  return gone.size > 0;
}

function isStillAsked(draft: Draft, asked: PendingApproval): boolean {
  const call = draft.state.openCalls.find(({ callId }) => callId === asked.callId);
  if (call === undefined || call.tool === ASK_PERSON) return true;
  return call.tool === REQUEST_APPROVAL ? mayBeApproved(draft, call) : asksTheSame(draft, call, asked);
}

/** Asked ahead by the model: no rule asks, but one may refuse by now. */
function mayBeApproved({ state, config }: Draft, call: OpenCall): boolean {
  const named = ApprovalRequest.safeParse(call.input);
  const target = named.success ? config.catalog.parse(named.data.tool, named.data.input) : undefined;
  return target?.ok === true && config.gate.tool(target.value, gateContext({ state, config }, call)).kind !== 'Reject';
}

/** A rule is known by what it says; the request may add why a person is asked a second time. */
function asksTheSame(draft: Draft, call: OpenCall, { reason }: PendingApproval): boolean {
  const facts = draft.config.catalog.parse(call.tool, call.input);
  if (!facts.ok) return false;
  const judged = { subject: { gate: 'Tool', call: facts.value }, call } as const;
  const step = nextStep(draft, judged, draft.state.gateAnswers[call.callId] ?? {});
  return step.kind === 'Decided' && step.verdict.kind === 'Escalate' && reason.startsWith(step.verdict.reason);
}
