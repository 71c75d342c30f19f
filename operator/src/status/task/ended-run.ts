/**
 * An Agent's conditions about its run, after the operator has ended the Task. Pure.
 *
 * The Agent owns these conditions. But an Agent that is gone, or that learns late of the end, would leave them true forever.
 * So the operator takes them over with the end. A live Agent drops its run and never writes over an outcome.
 */
import type { ConditionType } from '@retainer/contract/api/conditions';
import type { TaskFacts } from '../../observe/observe-task.ts';

const OF_A_RUN = [
  'Running',
  'AwaitingAnswer',
  'AwaitingApproval',
  'AwaitingModel',
] as const satisfies readonly ConditionType<'Task'>[];

export interface EndedRunCondition {
  readonly type: (typeof OF_A_RUN)[number];
  readonly status: 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** Whether an ended Task still has a condition that says it goes on or waits for people. */
export function isUnsettled({ outcome, conditions }: TaskFacts): boolean {
  return outcome !== undefined && OF_A_RUN.some((type) => conditions.get(type)?.status === 'True');
}

/** The Task's conditions about its run, none of them True any more. @param reason  of the end */
export function endedRun({ conditions }: TaskFacts, reason: string): readonly EndedRunCondition[] {
  return OF_A_RUN.flatMap((type) => {
    const before = conditions.get(type);
    if (before === undefined) return [];
    if (before.status === 'True') return [{ type, status: 'False', reason, message: 'the Task has ended' }];
    return [{ type, status: before.status, reason: before.reason, message: before.message }];
  });
}
