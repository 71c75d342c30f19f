/** Gives the Tasks to the agent in their order and waits until each has ended. Holds no rule of its own: `task-queue.ts` does. */
import type { Task } from '@retainer/contract/api/task';
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import { listRuns, recordsOfRun } from '@retainer/agent-pod/run-records';
import { tellRun, type RunStory } from '@retainer/agent-pod/tell-records';
import type { TaskEnd } from './exit-codes.ts';
import { dueTasks, type TaskStanding } from './task-queue.ts';

/** How one Task stands at the end of the command. */
export interface TaskResult {
  readonly task: string;
  readonly end: TaskEnd;
  /** Absent for a Task that did not start. */
  readonly runId?: string;
  readonly conclusion?: NonNullable<RunStory['conclusion']>;
  /** It had ended before: nothing was run again. */
  readonly isFromRecord: boolean;
  /** Why it did not start. */
  readonly why?: string;
}

export interface RunTasksOptions {
  readonly agent: OpenedAgent;
  readonly tasks: readonly Task[];
  /** Results that Tasks may depend on. */
  readonly known: readonly TaskResult[];
  readonly concurrentMax: number;
  /** Told once for each Task, before it runs. */
  readonly onStart: (task: string, runId: string, how: 'New' | 'Resumed' | 'Recorded') => void;
  /** Aborted when the command must stop: what runs is left to its record. */
  readonly signal: AbortSignal;
}

/** @returns the results in the order of the Tasks; those that were still under way when the signal came are missing */
export async function runTasks(options: RunTasksOptions): Promise<readonly TaskResult[]> {
  const { tasks, known, concurrentMax, signal } = options;
  const standings = new Map<string, TaskStanding>(known.map(({ task, end }) => [task, { kind: 'Ended', end }]));
  const results = new Map<string, TaskResult>();
  const running = new Map<string, Promise<void>>();
  const settle = (result: TaskResult): void => {
    results.set(result.task, result);
    standings.set(result.task, { kind: 'Ended', end: result.end });
    running.delete(result.task);
  };
  while (!signal.aborted) {
    const due = dueTasks(tasks, standings, concurrentMax);
    for (const { task, why } of due.blocked) {
      settle({ task: task.metadata.name, end: 'NotStarted', isFromRecord: false, why });
    }
    for (const task of due.start) {
      standings.set(task.metadata.name, { kind: 'Running' });
      running.set(task.metadata.name, runTask(options, task).then(settle));
    }
    if (running.size === 0 && due.blocked.length === 0) break;
    if (running.size > 0) await Promise.race([...running.values(), aborted(signal)]);
  }
  return tasks.flatMap((task) => results.get(task.metadata.name) ?? []);
}

async function runTask({ agent, onStart }: RunTasksOptions, task: Task): Promise<TaskResult> {
  const { name } = task.metadata;
  if (task.spec.cancel) return cancelTask(agent, task);
  const { runId, isNew } = await agent.submitTask(task, 'manifest');
  const recorded = isNew ? undefined : await recordedResult(agent, name, runId);
  if (recorded !== undefined) {
    onStart(name, runId, 'Recorded');
    return recorded;
  }
  onStart(name, runId, isNew ? 'New' : 'Resumed');
  return closedResult(agent, name, runId);
}

/** Ends the Task's newest run if it is under way, and starts none. */
async function cancelTask(agent: OpenedAgent, task: Task): Promise<TaskResult> {
  const { name, namespace } = task.metadata;
  const runs = await listRuns(agent.journal);
  const newest = runs.findLast((run) => run.task === name && run.namespace === namespace);
  if (newest === undefined) {
    return { task: name, end: 'Cancelled', isFromRecord: false, why: 'its spec.cancel is set, so it was not started' };
  }
  const { runId } = newest;
  const recorded = await recordedResult(agent, name, runId);
  if (recorded !== undefined) return recorded;
  const command = { type: 'CancelRun', runId, by: 'manifest', reason: 'spec.cancel is set' } as const;
  await agent.runtime.accept(`manifest-cancel:${runId}`, 'manifest', command);
  return closedResult(agent, name, runId);
}

/** Waits for runs that are under way already. */
export async function awaitRuns(
  agent: OpenedAgent,
  runs: readonly { readonly task: string; readonly runId: string }[],
  signal: AbortSignal,
): Promise<readonly TaskResult[]> {
  const results: TaskResult[] = [];
  const all = runs.map(async ({ task, runId }) => results.push(await closedResult(agent, task, runId)));
  await Promise.race([Promise.all(all), aborted(signal)]);
  return results;
}

async function closedResult(agent: OpenedAgent, task: string, runId: string): Promise<TaskResult> {
  const { concluded } = await agent.runtime.closed(runId);
  const end = concluded?.outcome ?? 'Failed';
  return { task, end, runId, isFromRecord: false, ...(concluded === undefined ? {} : { conclusion: concluded }) };
}

/** The result of a run that is closed in the record. */
async function recordedResult(agent: OpenedAgent, task: string, runId: string): Promise<TaskResult | undefined> {
  if (agent.runtime.isOpen(runId)) return undefined;
  const story = tellRun(await recordsOfRun(agent.journal, runId));
  if (story?.conclusion === undefined || !story.isClosed) return undefined;
  return { task, end: story.conclusion.outcome, runId, conclusion: story.conclusion, isFromRecord: true };
}

/** Resolves when the signal comes; to be raced, never awaited alone. */
function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
