/**
 * An Agent's conditions about its run, after the operator has ended the Task. Pure.
 *
 * The Agent owns these conditions. But the Agent may be gone, or may hear late of the end, and then they would hold forever.
 * So the operator takes them over with the end. A live Agent drops its run and writes nothing over an outcome.
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
