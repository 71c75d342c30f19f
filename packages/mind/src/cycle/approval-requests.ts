/**
 * The requests for a person's approval of a call. Equal calls of one answer share one request: its answer serves each of them,
 * once.
 *
 * Source: reliability-security 4 (bound to the arguments, one use, equal requests grouped).
 */
import { standingFields } from '../gate/standing.ts';
import type { CallFacts } from '../gate/verdict.ts';
import { push, type Draft } from './draft.ts';
import type { CycleState, OpenCall } from './state.ts';

/** The reason of a request that no rule makes. The model's own reason is shown beside it, as the model's. */
export const ASKED_AHEAD = 'The agent asks before it makes this call.';

export function requestApproval(
  draft: Draft,
  call: OpenCall,
  facts: CallFacts,
  why: { readonly reason: string; readonly agentSays?: string; readonly site?: string },
): void {
  const { pendingApprovals, nowMs, spec } = draft.state;
  const equal = pendingApprovals.find(
    (it) =>
      it.answeredWith === undefined &&
      ((it.argumentsDigest === facts.argumentsDigest && it.standing === call.standing) ||
        (it.site !== undefined && it.site === why.site)),
  );
  push(draft, {
    kind: 'ApprovalRequested',
    requestId: nextRequestId(call),
    callId: call.callId,
    tool: facts.tool,
    input: JSON.parse(facts.argumentsText),
    argumentsDigest: facts.argumentsDigest,
    effectClass: facts.effectClass,
    ...why,
    ...standingFields(call),
    ...(equal === undefined ? {} : { answeredWith: equal.requestId }),
    expiresAtMs: equal?.expiresAtMs ?? nowMs + spec.limits.approvalWaitMs,
  });
}

/** The id of the question about a call: `CALL-a`, then `CALL-a2` when a person has to be asked again, and so on. */
function nextRequestId({ callId, approvalRequest = '' }: OpenCall): string {
  const first = `${callId}-a`;
  if (!approvalRequest.startsWith(first)) return first;
  return `${first}${Number(approvalRequest.slice(first.length) || '1') + 1}`;
}

/** The cycle whose call a request is about. */
export function cycleOfRequest(requestId: string): string {
  return requestId.replace(/-t\d+-a\d*$/, '');
}

/** Calls that wait for the answer to this request and have no result yet, in their order. */
export function awaitingCalls({ openCalls }: CycleState, requestId: string | undefined): readonly OpenCall[] {
  return openCalls.filter(
    (it) => it.approvalRequest !== undefined && it.approvalRequest === requestId && it.result === undefined,
  );
}
