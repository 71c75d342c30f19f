/**
 * Calls in a prompt have the names `t1`, `t2` … in the order in which they are shown: a model copies a short name without a slip.
 * The record keeps their own ids.
 */
import type { SubTaskOutcome, ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import type { ClaimedVerdict } from '../request/answers/attempt-verdicts.ts';

interface Call {
  readonly callId: string;
}

/** @param position  among all calls of the prompt, from 0 */
export function shownId(position: number): string {
  return `t${position + 1}`;
}

/** By sequence, then by place in the plan. */
export function inPlanOrder(outcomes: readonly SubTaskOutcome[]): readonly SubTaskOutcome[] {
  return outcomes.toSorted((a, b) => a.sequence - b.sequence || a.position - b.position);
}

/** All calls of a merge, in the order in which the meta validator sees them. */
export function shownCalls(outcomes: readonly SubTaskOutcome[]): readonly ToolCallRecord[] {
  return inPlanOrder(outcomes).flatMap((it) => it.calls);
}

/** The name of a call, or the line that shows it: a weak model cites all of that. A name further on may be any word of a program. */
const SHOWN_ID = /^\s*(?:tool-call\s+)?(t\d{1,4})(?![\w-])/iu;

/** The same claims with the calls' own ids. What names no shown call is left as it is. @param calls  as they were shown */
export function withOwnIds(claims: readonly ClaimedVerdict[], calls: readonly Call[]): readonly ClaimedVerdict[] {
  const own = new Map(calls.map(({ callId }, position) => [shownId(position), callId]));
  const ids = new Set(calls.map(({ callId }) => callId));
  const ownOf = (cited: string): string => {
    if (ids.has(cited)) return cited;
    return own.get(SHOWN_ID.exec(cited)?.[1]?.toLowerCase() ?? '') ?? cited;
  };
  return claims.map((claim) => ({ ...claim, evidence: claim.evidence.map(ownOf) }));
}
