/** The shape of a role: what it does on each message, and on what its model came back with. Pure; it acts at its role context only. */
import { backoffMs, type BackoffPolicy } from '@retainer/contract/std/backoff';
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import type { BusMessageOf } from '@retainer/contract/wire/bus/envelope';
import type { BusMessageType } from '@retainer/contract/wire/bus/roles';
import type { RoleContext } from '../role-context.ts';
import type { RunEventOf } from '../event.ts';
import { isBudgetUsedUp } from '../remaining-limits.ts';
import type { RunState, RoleCycle } from '../state.ts';

export type Readers = { readonly [T in BusMessageType]?: (roleContext: RoleContext, message: BusMessageOf<T>) => void };

export interface Role {
  readonly reads: Readers;
  /** Called once for each cycle of the role that ended. */
  readonly concluded?: (roleContext: RoleContext, roleCycle: RoleCycle, end: RunEventOf<'CycleConcluded'>) => void;
  /** Called when the pause after a cycle that failed is over. */
  readonly retry?: (roleContext: RoleContext, roleCycle: RoleCycle) => void;
}

/**
 * Between the repetitions of a validator: short against a usual cycle, and after the first long enough for an overload to pass.
 * The model port has retried each single call before.
 */
const retryPauses: BackoffPolicy = { initialMs: 1_000, factor: 4, ceilingMs: 30_000, jitterRatio: 0 };

/**
 * Has a validator that brought no verdicts through a fault of its own asked once more, after a pause. What failed is nobody's
 * approach: nothing of it is counted while there are repetitions left.
 *
 * @param timesAsked  so far, this time included
 * @returns           false where it is asked no more
 * Source: artoo A.6.
 */
export function retryLater(
  roleContext: RoleContext,
  { spec, purpose }: RoleCycle,
  end: RunEventOf<'CycleConcluded'>,
  timesAsked: number,
): boolean {
  const { state } = roleContext;
  if (!mayAskAgain(state, timesAsked, end)) return false;
  roleContext.record({
    kind: 'RetryScheduled',
    cycleId: spec.cycleId,
    purpose,
    failureClass: 'Infrastructure',
    reason: failureOf(end).reason,
    dueAtMs: state.nowMs + backoffMs(retryPauses, timesAsked - 1, 0),
  });
  return true;
}

function mayAskAgain(state: RunState, timesAsked: number, end: RunEventOf<'CycleConcluded'>): boolean {
  const isOwnFault = end.outcome === 'Failed' || (end.outcome === 'Replied' && end.value === undefined);
  return isOwnFault && timesAsked <= state.spec.control.fastLoop.validatorRetries && !isBudgetUsedUp(state);
}

/** Characters of why a cycle failed: a provider's words may be in it. */
const REASON_CHARACTERS_MAX = 2000;

/** Why a cycle brought nothing usable, and whose fault that is. Source: artoo A.6, C. */
export function failureOf(end: RunEventOf<'CycleConcluded'>): {
  readonly reason: string;
  readonly failureClass: 'Policy' | 'Infrastructure' | 'Environmental';
} {
  const [rejection] = end.rejections;
  if (rejection !== undefined)
    return { reason: `${rejection.reason} (rule ${rejection.rule})`, failureClass: 'Policy' };
  const reason = headAndTail(end.reason ?? 'it gave no usable answer', REASON_CHARACTERS_MAX);
  return { reason, failureClass: end.outcome === 'OutOfBudget' ? 'Environmental' : 'Infrastructure' };
}
