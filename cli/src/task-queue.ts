/** Which Task is due: dependencies first, then priority, then the order of the manifests. Pure. */
import type { Task } from '@retainer/contract/api/task';
import type { TaskEnd } from './exit-codes.ts';

export type TaskState =
  | { readonly kind: 'Running' }
  | { readonly kind: 'Ended'; readonly end: TaskEnd; readonly why?: string };

/** By name; a missing Task waits. */
export type TaskStates = ReadonlyMap<string, TaskState>;

export interface DueTasks {
  readonly start: readonly Task[];
  /** Tasks that cannot start any more, with the reason. */
  readonly blocked: readonly { readonly task: Task; readonly why: string }[];
}

/** Ends that let a dependent Task start. The field `dependsOn` of the kind Task names them. */
const successes: ReadonlySet<TaskEnd> = new Set(['Accepted', 'Succeeded']);

/** @param concurrentMax  Tasks that may run at once: `limits.concurrentRuns` of the Agent */
export function dueTasks(tasks: readonly Task[], taskStates: TaskStates, concurrentMax: number): DueTasks {
  const waiting = tasks.filter((task) => !taskStates.has(task.metadata.name));
  const blocked = waiting.flatMap((task) => {
    const why = blockOf(task, taskStates);
    return why === undefined ? [] : [{ task, why }];
  });
  const running = [...taskStates.values()].filter(({ kind }) => kind === 'Running').length;
  const ready = waiting
    .filter((task) => task.spec.dependsOn.every(({ name }) => isSuccess(taskStates.get(name))))
    .toSorted((a, b) => b.spec.priority - a.spec.priority);
  return { start: ready.slice(0, Math.max(0, concurrentMax - running)), blocked };
}

/** Tasks that wait although nothing runs any more: none is left out silently. @returns empty while something runs */
export function stuckTasks(tasks: readonly Task[], taskStates: TaskStates): DueTasks['blocked'] {
  if ([...taskStates.values()].some(({ kind }) => kind === 'Running')) return [];
  return tasks
    .filter((task) => !taskStates.has(task.metadata.name))
    .map((task) => {
      const missing = task.spec.dependsOn.filter(({ name }) => !isSuccess(taskStates.get(name)));
      const names = missing.map(({ name }) => name).join(', ');
      return { task, why: `it depends on ${names}, which no agent runs` };
    });
}

function blockOf(task: Task, taskStates: TaskStates): string | undefined {
  for (const { name } of task.spec.dependsOn) {
    const taskState = taskStates.get(name);
    if (taskState?.kind === 'Ended' && !successes.has(taskState.end)) {
      const how = taskState.end.startsWith('Awaiting') ? 'waits for a person' : `ended ${taskState.end}`;
      return `it depends on ${name}, which ${how}`;
    }
  }
  return undefined;
}

function isSuccess(taskState: TaskState | undefined): boolean {
  return taskState?.kind === 'Ended' && successes.has(taskState.end);
}
