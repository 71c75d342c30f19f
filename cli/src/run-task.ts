/** Gives one Task to the agent and returns its result. */
import { tellRun } from '@retainer/agent-pod/review/tell-records';
import type { Task } from '@retainer/contract/api/task';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import { listRuns, recordsOfRun, type RunSummary } from '@retainer/agent-pod/review/run-records';
import type { RunStory } from '@retainer/mind/explain/tell-run';
import { elapsedMs } from '@retainer/mind/run/state';
import { requiredUnmet } from '@retainer/contract/api/task-status';
import type { CodedEnd, TaskEnd } from './exit-codes.ts';

export interface TaskResult {
  readonly task: string;
  readonly end: TaskEnd;
  /** Absent for a Task that did not start. */
  readonly runId?: string;
  readonly conclusion?: NonNullable<RunStory['conclusion']>;
  /** It had ended before and did not run again. */
  readonly isFromRecord: boolean;
  /** Why it did not start, or why nobody goes on with it. */
  readonly why?: string;
}

/** Positions, from 0, of required criteria without which the Task succeeded. */
export function lackingCriteria({ end, conclusion }: TaskResult): readonly number[] {
  return end === 'Succeeded' && conclusion !== undefined ? requiredUnmet(conclusion.criteria) : [];
}

export function codedEnd(result: TaskResult): CodedEnd {
  return lackingCriteria(result).length > 0 ? 'RequiredUnmet' : result.end;
}

export interface RunTaskOptions {
  readonly agent: OpenedAgent;
  /** Called once for each run, before it begins or continues. */
  readonly onStart: (task: string, runId: string, how: 'New' | 'Resumed' | 'Recorded') => void;
  /**
   * Resolves when the run does nothing but wait for a person, with what to do about it; the run is left open then. Absent: the
   * command waits as well, because somebody is there.
   */
  readonly left?: (runId: string, signal: AbortSignal) => Promise<LeftRun>;
}

/** A run that waits for a person, and what to do about it. */
export interface LeftRun {
  readonly end: 'AwaitingApproval' | 'AwaitingAnswer';
  readonly why: string;
}

const TURNED_AWAY: ReadonlySet<string> = new Set(['NotRunningError', 'RunSetAsideError']);

type Submitted = Awaited<ReturnType<OpenedAgent['submitTask']>>;

/** @param known  the earlier result of the Task of that name: the same work is not reported again */
export async function runTask(options: RunTaskOptions, task: Task, known: TaskResult | undefined): Promise<TaskResult> {
  const { agent, onStart } = options;
  const { name } = task.metadata;
  const submitted = await unlessTurnedAway<TaskResult | Submitted>(() =>
    task.spec.cancel ? cancelTask(options, task) : agent.submitTask(task, 'manifest'),
  );
  if (!submitted.ok) return { task: name, end: 'NotStarted', isFromRecord: false, why: submitted.error };
  if ('end' in submitted.value) return submitted.value;
  const { runId, isNew } = submitted.value;
  if (known?.runId === runId) return known;
  const recorded = isNew ? undefined : await recordedResult(agent, name, runId);
  if (recorded !== undefined) {
    onStart(name, runId, 'Recorded');
    return recorded;
  }
  if (!isNew && isLeftAlone(agent, runId))
    return { task: name, end: 'Failed', runId, isFromRecord: false, why: notDriven(runId) };
  onStart(name, runId, isNew ? 'New' : 'Resumed');
  return closedResult(options, name, runId);
}

/** It is in the record, and neither did its start go on with it, nor was it set aside. */
function isLeftAlone({ runtime }: OpenedAgent, runId: string): boolean {
  return !runtime.isOpen(runId) && runtime.asideRun(runId) === undefined;
}

function notDriven(runId: string): string {
  return `run ${runId} is in the record, and this version does not go on with it; \`retainer retry ${runId}\` begins its work anew`;
}

/** The agent refuses commands while its volume is too full, and drives no run that it set aside. @returns why */
export async function unlessTurnedAway<T>(ask: () => Promise<T>): Promise<Result<T, string>> {
  try {
    return ok(await ask());
  } catch (error) {
    if (error instanceof Error && TURNED_AWAY.has(error.name)) return err(error.message);
    throw error;
  }
}

/** Ends the Task's newest run if it is open, and starts none. */
async function cancelTask({ agent }: RunTaskOptions, task: Task): Promise<TaskResult> {
  const { name } = task.metadata;
  const newest = await newestRun(agent, task);
  if (newest === undefined) {
    return { task: name, end: 'Cancelled', isFromRecord: false, why: 'not started, because its spec.cancel is set' };
  }
  const recorded = await recordedResult(agent, name, newest.runId);
  if (recorded !== undefined) return recorded;
  await askCancel(agent, task);
  return closedResult({ agent }, name, newest.runId);
}

/** Asks the Task's newest run to end. Idempotent; does not change an ended run. */
export async function askCancel(agent: OpenedAgent, task: Task): Promise<void> {
  const newest = await newestRun(agent, task);
  if (newest === undefined || newest.isClosed) return;
  const { runId } = newest;
  const command = { type: 'CancelRun', runId, by: 'manifest', reason: 'spec.cancel is set' } as const;
  await agent.runtime.accept(`manifest-cancel:${runId}`, 'manifest', command);
}

async function newestRun(agent: OpenedAgent, task: Task): Promise<RunSummary | undefined> {
  const { name, namespace } = task.metadata;
  const runs = await listRuns(agent.journal);
  // The work of a job is named after it, and may be called as a Task is.
  return runs.findLast((run) => run.jobId === undefined && run.task === name && run.namespace === namespace);
}

export async function closedResult(
  { agent, left }: Pick<RunTaskOptions, 'agent' | 'left'>,
  task: string,
  runId: string,
): Promise<TaskResult> {
  const over = new AbortController();
  const closed = unlessTurnedAway(() => agent.runtime.closed(runId));
  const ended = await Promise.race([closed, ...(left === undefined ? [] : [left(runId, over.signal)])]);
  over.abort();
  if ('why' in ended) return { task, ...ended, runId, isFromRecord: false };
  if (!ended.ok) {
    const end = agent.runtime.asideRun(runId)?.isGivenUp === true ? 'Cancelled' : 'Failed';
    return { task, end, runId, isFromRecord: false, why: ended.error };
  }
  const { concluded } = ended.value;
  const end = concluded?.outcome ?? 'Failed';
  if (concluded === undefined) return { task, end, runId, isFromRecord: false };
  const workedMs = elapsedMs({ ...ended.value, nowMs: concluded.endedAtMs });
  return { task, end, runId, isFromRecord: false, conclusion: { ...concluded, workedMs } };
}

async function recordedResult(agent: OpenedAgent, task: string, runId: string): Promise<TaskResult | undefined> {
  if (agent.runtime.isOpen(runId)) return undefined;
  const story = tellRun(await recordsOfRun(agent.journal, runId));
  if (story?.conclusion === undefined || !story.isClosed) return undefined;
  return { task, end: story.conclusion.outcome, runId, conclusion: story.conclusion, isFromRecord: true };
}
