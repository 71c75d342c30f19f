/**
 * What Ready says of a Task that has ended. Pure.
 *
 * I1  The agent tells it in the patch that ends the Task, by the same words as the operator, which then has nothing to write. Where
 *     the agent did not, as one of another version, the operator does.
 */
import type { ConditionReason } from './conditions.ts';
import type { TaskOutcome } from './task-status.ts';

export interface ToldReady {
  readonly status: 'True' | 'False';
  readonly reason: ConditionReason<'Task'>;
  readonly message: string;
}

const OUTCOMES: Readonly<Record<TaskOutcome, ToldReady>> = {
  Accepted: {
    status: 'True',
    reason: 'Accepted',
    message: 'every criterion is met; the result is in status.summary',
  },
  Succeeded: {
    status: 'True',
    reason: 'Succeeded',
    message: 'good enough within its limits; status.summary has the result, status.criteria the verdicts',
  },
  Abandoned: {
    status: 'False',
    reason: 'Abandoned',
    message: 'the agent gave up; see status.criteria, and `retainer explain` with status.runId',
  },
  Refused: {
    status: 'False',
    reason: 'Refused',
    message: 'refused; status.refusal names the rule: change the work or the rule, and create a new Task',
  },
  Cancelled: { status: 'False', reason: 'Cancelled', message: 'cancelled; create a new Task to do the work' },
  Failed: {
    status: 'False',
    reason: 'InfrastructureFailed',
    message: 'failed; the condition Failed says why. Fix that, then create a new Task',
  },
};

/** Reasons of Failed that Ready shows as they are; Ready shows one reason for all others. */
const FAILURES: readonly ConditionReason<'Task'>[] = ['DeadlinePassed', 'BudgetExhausted', 'ApprovalTimedOut'];

/** Criteria named in one message. */
const CRITERIA_TOLD_MAX = 8;

/** @param unmet  positions in status.criteria, from 0; at least one */
export function requiredUnmetMessage(unmet: readonly number[]): string {
  const told = unmet.slice(0, CRITERIA_TOLD_MAX).join(', ');
  const more = unmet.length > CRITERIA_TOLD_MAX ? ` and ${unmet.length - CRITERIA_TOLD_MAX} more` : '';
  const what = unmet.length === 1 ? 'required criterion is' : 'required criteria are';
  return `good enough within its limits, but ${unmet.length} ${what} not met: see status.criteria with index ${told}${more}`;
}

/**
 * @param failure  reason of the condition Failed; undefined where that is not True
 * @param unmet    `status.unmet`
 */
export function endedReady(outcome: TaskOutcome, failure?: string, unmet: readonly number[] = []): ToldReady {
  const told = OUTCOMES[outcome];
  if (outcome === 'Succeeded' && unmet.length > 0)
    return { ...told, reason: 'RequiredUnmet', message: requiredUnmetMessage(unmet) };
  const reason = outcome === 'Failed' ? FAILURES.find((known) => known === failure) : undefined;
  return reason === undefined ? told : { ...told, reason };
}
