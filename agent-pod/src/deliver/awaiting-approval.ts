/** The condition AwaitingApproval of a Task: that a call waits for a person, and which decisions fit none. Pure. */
import type { Condition } from '@retainer/contract/api/conditions';
import type { RunProgress } from './task-status-body.ts';

type Waits = Pick<RunProgress, 'approvals' | 'mistyped' | 'unasked' | 'decidedAtMs' | 'startedAtMs'>;
type Awaiting = Omit<Condition, 'lastTransitionTime' | 'observedGeneration'> & { readonly atMs: number };

const WAITS_FOR_LEAVE = 'a call waits for a person: approve or deny it in spec.approvals';

/** Requests in one message: a Task can have more entries than a message holds. */
const REQUESTS_TOLD_MAX = 2;

function requestsText(requests: readonly string[]): string {
  const more = requests.length > REQUESTS_TOLD_MAX ? ` and ${requests.length - REQUESTS_TOLD_MAX} more` : '';
  return `${requests.slice(0, REQUESTS_TOLD_MAX).join(', ')}${more}`;
}

/** @returns what is wrong with entries of `spec.approvals`, and the next step; empty if nothing is */
export function unusedMessage({ mistyped, unasked = [] }: Pick<Waits, 'mistyped' | 'unasked'>): string {
  return [
    ...(mistyped.length === 0
      ? []
      : [
          `spec.approvals has another argumentsDigest than status.pendingApprovals for ${requestsText(mistyped)}, so it decides nothing: replace the entry`,
        ]),
    ...(unasked.length === 0
      ? []
      : [
          `spec.approvals has entries for requests that this run never made (${requestsText(unasked)}); they decide nothing: add an entry for what status.pendingApprovals shows`,
        ]),
  ].join('; ');
}

/** Absent until the first call has waited, or an entry fits none. */
export function awaitingApproval(progress: Waits): Awaiting | undefined {
  const {
    approvals: [oldest],
    mistyped,
    decidedAtMs: atMs,
    startedAtMs,
  } = progress;
  const type = 'AwaitingApproval';
  const unused = unusedMessage(progress);
  if (oldest !== undefined)
    return {
      type,
      status: 'True',
      reason: 'ApprovalRequested',
      message: [...(mistyped.length === 0 ? [WAITS_FOR_LEAVE] : []), ...(unused === '' ? [] : [unused])].join('; '),
      atMs: oldest.requestedAtMs,
    };
  const idle = { type, status: 'False', reason: 'Running' } as const;
  // At once: whoever wrote the entry must not wait for the call to learn that it fits none.
  if (unused !== '') return { ...idle, message: unused, atMs: atMs ?? startedAtMs };
  return atMs === undefined ? undefined : { ...idle, message: 'no call waits for a person', atMs };
}
