/** Folds what people are asked about calls, and what they decide, into the cycle's state. Total and pure; never decides. */
import { ASK_PERSON } from '../gate/person-question.ts';
import { isReplacing, standingFields, type StandingFields } from '../gate/standing.ts';
import type { CycleEvent } from './event.ts';
import type { CycleState, OpenCall } from './state.ts';

type EventOf<K extends CycleEvent['kind']> = Extract<CycleEvent, { kind: K }>;

/**
 * How long a given approval may be used: a model's turn or two, and no longer than a person remembers it. It is
 * independent of the request's expiry, which would pass at once when a person decides late.
 */
export const APPROVAL_USE_MS = 600_000;

export function approvalDecided(state: CycleState, event: EventOf<'ApprovalDecided'>): CycleState {
  const answered = state.pendingApprovals.filter((it) => isAnsweredBy(it, event.requestId));
  if (answered.length === 0) return state;
  const { argumentsDigest, decision, by, reason } = event;
  const pendingApprovals = state.pendingApprovals.filter((it) => !answered.includes(it));
  if (decision === 'Answer') return { ...state, pendingApprovals };
  const sites = decision === 'Approve' ? answered.flatMap(({ site }) => site ?? []) : [];
  const ofThis = answered.filter((it) => it.argumentsDigest === argumentsDigest);
  const decided = ofThis.map(({ requestId, expiresAtMs, standing }) => ({
    ...(standing === undefined ? {} : { standing }),
    requestId,
    argumentsDigest,
    decision,
    by,
    reason,
    expiresAtMs: decision === 'Approve' ? event.atMs + APPROVAL_USE_MS : expiresAtMs,
  }));
  return {
    ...(decision === 'Deny' ? countRefusal(state) : state),
    openCalls: state.openCalls.map((call) =>
      call.approvalRequest === event.requestId ? lookedAtAgain(call, event) : call,
    ),
    pendingApprovals,
    freeSites: [...new Set([...state.freeSites, ...sites])],
    approvals: [...state.approvals.filter((it) => it.argumentsDigest !== argumentsDigest), ...decided],
  };
}

/** What stands there may be another thing than at the question. */
function lookedAtAgain(open: OpenCall, now: StandingFields): OpenCall {
  const { standing: _, named: __, ...call } = open;
  return { ...call, ...standingFields(now), ...(isReplacing(now) ? { replaces: true } : {}) };
}

export function approvalRequested(state: CycleState, event: EventOf<'ApprovalRequested'>): CycleState {
  const { requestId, answeredWith } = event;
  const { requests, refusals } = state.asked;
  const openCalls = state.openCalls.map((call) =>
    call.callId === event.callId ? { ...call, approvalRequest: answeredWith ?? requestId } : call,
  );
  return {
    ...state,
    openCalls,
    asked: { requests: requests + (answeredWith === undefined ? 1 : 0), refusals },
    pendingApprovals: [...state.pendingApprovals, { ...event, requestedAtMs: state.nowMs }],
  };
}

export function approvalExpired(state: CycleState, requestId: string): CycleState {
  const [asked] = state.pendingApprovals.filter((it) => isAnsweredBy(it, requestId));
  const pendingApprovals = state.pendingApprovals.filter((it) => !isAnsweredBy(it, requestId));
  return { ...(asked?.tool === ASK_PERSON ? state : countRefusal(state)), pendingApprovals };
}

function isAnsweredBy(pending: CycleState['pendingApprovals'][number], requestId: string): boolean {
  return (pending.answeredWith ?? pending.requestId) === requestId;
}

function countRefusal(state: CycleState): CycleState {
  return { ...state, asked: { ...state.asked, refusals: state.asked.refusals + 1 } };
}
