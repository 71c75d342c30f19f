/**
 * What an Agent says of its run while it goes on, once the operator has ended the Task. Pure.
 *
 * The Agent's conditions are its own; but it may be gone, or late to hear of the end, and then they would hold for ever. The
 * operator takes them over with the end: an Agent that lives drops its run, and writes nothing over an outcome.
 */
import type { ConditionType } from '@retainer/contract/api/conditions';
import type { TaskFacts } from '../../observe/observe-task.ts';

const OF_A_RUN = ['Running', 'AwaitingAnswer', 'AwaitingApproval'] as const satisfies readonly ConditionType<'Task'>[];

export interface EndedRunCondition {
  readonly type: (typeof OF_A_RUN)[number];
  readonly status: 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** Whether the Task has an end, and still says that it goes on or waits for people. */
export function isUnsettled({ outcome, conditions }: TaskFacts): boolean {
  return outcome !== undefined && OF_A_RUN.some((type) => conditions.get(type)?.status === 'True');
}

/** Those that the Task has, none of which holds any more. @param reason  of the end */
export function endedRun({ conditions }: TaskFacts, reason: string): readonly EndedRunCondition[] {
  return OF_A_RUN.flatMap((type) => {
    const before = conditions.get(type);
    if (before === undefined) return [];
    if (before.status === 'True') return [{ type, status: 'False', reason, message: 'the Task has ended' }];
    return [{ type, status: before.status, reason: before.reason, message: before.message }];
  });
}
