/**
 * The operator's conditions of a Task, as they are once it has ended. The agent writes them with the end, so that the operator has
 * nothing to write, and whoever waits for Ready waits for nobody else. Pure.
 */
import type { Condition, ConditionType } from '@retainer/contract/api/conditions';
import { progressOf } from '@retainer/contract/api/progress';
import { endedReady } from '@retainer/contract/api/task-end';
import type { TaskOutcome } from '@retainer/contract/api/task-status';

export type OwnCondition = Omit<Condition, 'lastTransitionTime' | 'observedGeneration'> & { readonly atMs: number };

const PROGRESS = ['Reconciling', 'Stalled'] as const satisfies readonly ConditionType<'Task'>[];

export const OPERATORS_CONDITIONS: ReadonlySet<string> = new Set(['Ready', ...PROGRESS]);

export interface TaskEnd {
  readonly outcome: TaskOutcome;
  /** Reason of the condition Complete or Failed. */
  readonly reason: string;
  /** `status.unmet`. */
  readonly unmet: readonly number[];
  /** Milliseconds since 1970. */
  readonly atMs: number;
  /** The Task's conditions before. */
  readonly before: readonly Condition[];
}

/** Ready, and those that stand beside it. One that is over becomes False: only the operator, who wrote it, could take it away. */
export function readyAtEnd({ outcome, reason, unmet, atMs, before }: TaskEnd): readonly OwnCondition[] {
  const ready = { type: 'Ready', ...endedReady(outcome, reason, unmet) };
  const progress = progressOf('Task', [ready]);
  const beside = PROGRESS.filter((type) => type === progress || before.some((one) => one.type === type)).map(
    (type) => ({ ...ready, type, status: type === progress ? ('True' as const) : ('False' as const) }),
  );
  return [ready, ...beside].map((condition) => ({ ...condition, atMs: changedAtMs(condition, before) ?? atMs }));
}

/** When it became what it is; undefined if it was otherwise, or not there. */
function changedAtMs(
  { type, status }: Pick<Condition, 'type' | 'status'>,
  before: readonly Condition[],
): number | undefined {
  const same = before.find((one) => one.type === type && one.status === status);
  return same === undefined ? undefined : Date.parse(same.lastTransitionTime);
}
