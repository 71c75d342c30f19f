/** Which Task is due: dependencies first, then priority, then the order of the manifests. Pure. */
import type { Task } from '@retainer/contract/api/task';
import { isEnough } from '@retainer/contract/api/task-status';
import type { TaskEnd } from './exit-codes.ts';

type Dependency = Task['spec']['dependsOn'][number];

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

/** @param concurrentMax  Tasks that may run at once: `limits.concurrentRuns` of the Agent */
export function dueTasks(tasks: readonly Task[], taskStates: TaskStates, concurrentMax: number): DueTasks {
  const waiting = tasks.filter((task) => !taskStates.has(task.metadata.name));
  const blocked = waiting.flatMap((task) => {
    const why = blockOf(task, taskStates);
    return why === undefined ? [] : [{ task, why }];
  });
  const running = [...taskStates.values()].filter(({ kind }) => kind === 'Running').length;
  const ready = waiting
    .filter((task) => task.spec.dependsOn.every((it) => isMet(it, taskStates)))
    .toSorted((a, b) => b.spec.priority - a.spec.priority);
  return { start: ready.slice(0, Math.max(0, concurrentMax - running)), blocked };
}

/** Tasks that wait although nothing runs any more: none is left out silently. @returns empty while something runs */
export function stuckTasks(tasks: readonly Task[], taskStates: TaskStates): DueTasks['blocked'] {
  if ([...taskStates.values()].some(({ kind }) => kind === 'Running')) return [];
  return tasks
    .filter((task) => !taskStates.has(task.metadata.name))
    .map((task) => {
      const missing = task.spec.dependsOn.filter((it) => !isMet(it, taskStates));
      const names = missing.map(({ name }) => name).join(', ');
      return { task, why: `it depends on ${names}, which no agent runs` };
    });
}

function blockOf(task: Task, taskStates: TaskStates): string | undefined {
  for (const dependency of task.spec.dependsOn) {
    const taskState = taskStates.get(dependency.name);
    if (taskState?.kind === 'Ended' && !isMet(dependency, taskStates))
      return `it depends on ${dependency.name}, which ${howEnded(taskState.end)}`;
  }
  return undefined;
}

function howEnded(end: TaskEnd): string {
  if (end === 'Succeeded') return 'ended Succeeded, not Accepted; dependsOn[].outcome: Succeeded lets that be enough';
  return end.startsWith('Awaiting') ? 'waits for a person' : `ended ${end}`;
}

function isMet({ name, outcome }: Dependency, taskStates: TaskStates): boolean {
  const taskState = taskStates.get(name);
  return taskState?.kind === 'Ended' && isEnough(taskState.end, outcome);
}
