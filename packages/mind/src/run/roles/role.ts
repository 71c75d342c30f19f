/**
 * The shape of a role: its reaction to each message and to each answer of its model. Pure; it acts only through its role context.
 */
import { backoffMs, type BackoffPolicy } from '@retainer/contract/std/backoff';
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import type { BusMessageOf } from '@retainer/contract/wire/bus/envelope';
import type { BusMessageType } from '@retainer/contract/wire/bus/roles';
import { faultSentence, isUseless, wentRound } from '../../cycle/end-fault.ts';
import type { RoleContext } from '../role-context.ts';
import type { RunEventOf } from '../event.ts';
import { isBudgetUsedUp } from '../remaining-limits.ts';
import type { RunState, RoleCycle } from '../state.ts';

export type Readers = { readonly [T in BusMessageType]?: (roleContext: RoleContext, message: BusMessageOf<T>) => void };

export interface Role {
  readonly reads: Readers;
  /** Called once for each ended cycle of the role. */
  readonly concluded?: (roleContext: RoleContext, roleCycle: RoleCycle, end: RunEventOf<'CycleConcluded'>) => void;
  /** Called when the pause after a failed cycle is over. */
  readonly retry?: (roleContext: RoleContext, roleCycle: RoleCycle) => void;
}

/**
 * Pauses between the repetitions of a validator: short compared with a usual cycle, and from the second on long enough
 * for an overload to pass. The model port has already retried each single call.
 */
const retryPauses: BackoffPolicy = { initialMs: 1_000, factor: 4, ceilingMs: 30_000, jitterRatio: 0 };

/**
 * Asks a validator again, after a pause, if its own fault left no verdicts. The failure is not the approach's: nothing
 * counts while repetitions are left.
 *
 * @param timesAsked  so far, this time included
 * @returns false when the validator is not asked again
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

/** Most characters of the reason why a cycle failed: it may contain a provider's words. */
const REASON_CHARACTERS_MAX = 2000;

/** Why a cycle has no usable result, and the class of the failure. Source: artoo A.6, C. */
export function failureOf(end: RunEventOf<'CycleConcluded'>): {
  readonly reason: string;
  readonly failureClass: 'Policy' | 'Infrastructure' | 'Environmental' | 'Logical';
} {
  const [rejection] = end.rejections;
  if (rejection !== undefined)
    return { reason: `${rejection.reason} (rule ${rejection.rule})`, failureClass: 'Policy' };
  const said = end.reason === undefined ? 'it gave no usable answer' : faultSentence(end.reason, end.modelCalls);
  const reason = headAndTail(said, REASON_CHARACTERS_MAX);
  // A model that answers and says nothing of use, or goes round, is no failure of the machinery and not the world's.
  if (end.outcome === 'OutOfBudget')
    return { reason, failureClass: wentRound(end.reason ?? '') ? 'Logical' : 'Environmental' };
  return { reason, failureClass: isUseless(end.reason) ? 'Logical' : 'Infrastructure' };
}
