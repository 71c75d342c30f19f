/**
 * What Tasks of the API server ask of the agent, compared with the runs it has. Pure: the whole list each time, so that a
 * missed event is made good by the next look.
 *
 * I1  A Task is taken when the operator has admitted it, it has no outcome, and it is no template of a schedule; in the order of
 *     priority, then of creation; no more at once than the Agent allows.
 * I2  A run ends when its Task says cancel, is deleted, or was ended by somebody else.
 * I3  A decision of a person counts for exactly the arguments that were shown, an answer for exactly the question that is open.
 */
import type { Task } from '@retainer/contract/api/task';
import type { ApprovalQuestion } from '@retainer/mind/cycle/state';
import type { Command } from '@retainer/mind/run/inbox';
import type { RunEventOf } from '@retainer/mind/run/event';
import type { OpenQuestion } from '@retainer/mind/run/state';

/** A run that is under way. */
export interface RunView {
  readonly runId: string;
  readonly task: { readonly namespace: string; readonly name: string };
  readonly isConcluded: boolean;
  /** A cycle began or ended to wait for a person and the run has not noted it: what it would say now holds for an instant. */
  readonly isBetweenWaits: boolean;
  readonly startedAtMs: number;
  readonly approvals: readonly ApprovalQuestion[];
  /** The question that waits for an answer. */
  readonly question: OpenQuestion | undefined;
  /** When the newest question stopped waiting, milliseconds since 1970. */
  readonly answeredAtMs: number | undefined;
  /** When an approval was last waited for no longer, milliseconds since 1970. */
  readonly decidedAtMs: number | undefined;
  /** The last round that was steered and did not end the run. */
  readonly steered: RunEventOf<'RoundSteered'> | undefined;
}

export interface TaskView {
  readonly task: Task;
  /** Of the run that this very Task becomes, or became. */
  readonly runId: string;
}

export interface OriginCommand {
  /** The same for the same wish: it is taken once. */
  readonly originId: string;
  readonly command: Exclude<Command, { type: 'StartRun' }>;
}

export interface TaskDecisions {
  /** In this order. */
  readonly take: readonly Task[];
  /** Admitted, and more than may run at once. */
  readonly waiting: number;
  readonly commands: readonly OriginCommand[];
  /** Runs whose Task is not in the list: to be looked up before anything is concluded from it. */
  readonly orphans: readonly RunView[];
  /** Runs to report into the status of their Tasks. */
  readonly reports: readonly { readonly task: Task; readonly run: RunView }[];
}

export interface TaskSituation {
  readonly tasks: readonly TaskView[];
  readonly runs: readonly RunView[];
  /** Runs that were taken before, by this or an earlier process. */
  readonly isTaken: (runId: string) => boolean;
  readonly concurrentMax: number;
}

export function decideTasks({ tasks, runs, isTaken, concurrentMax }: TaskSituation): TaskDecisions {
  const active = runs.filter((run) => !run.isConcluded);
  const byRun = new Map(tasks.map((view) => [view.runId, view.task]));
  const pairs = active.flatMap((run) => {
    const task = byRun.get(run.runId);
    return task === undefined ? [] : [{ task, run }];
  });
  const wanted = tasks
    .filter(({ task, runId }) => isWanted(task) && !isTaken(runId))
    .map(({ task }) => task)
    .toSorted(byPriority);
  const free = Math.max(0, concurrentMax - active.length);
  return {
    take: wanted.slice(0, free),
    waiting: Math.max(0, wanted.length - free),
    commands: pairs.flatMap(({ task, run }) => commandsOf(task, run)),
    orphans: active.filter((run) => !byRun.has(run.runId)),
    reports: pairs.filter(({ task, run }) => isOpen(task) && !isLeaving(task) && !run.isBetweenWaits),
  };
}

/** The command that ends a run whose Task is gone. */
export function cancelOfGone(runId: string): OriginCommand {
  return cancel(runId, 'task-gone', 'operator', 'its Task was deleted');
}

function isWanted(task: Task): boolean {
  const { spec, status } = task;
  const isAdmitted = status?.conditions?.some(({ type, status: is }) => type === 'Admitted' && is === 'True') === true;
  return isAdmitted && isOpen(task) && spec.schedule === undefined && !spec.cancel && !isLeaving(task);
}

function isOpen({ status }: Task): boolean {
  return status?.outcome === undefined;
}

function isLeaving({ metadata }: Task): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function byPriority(a: Task, b: Task): number {
  const created = (task: Task): number => Date.parse(task.metadata.creationTimestamp ?? '') || 0;
  return b.spec.priority - a.spec.priority || created(a) - created(b) || (a.metadata.name < b.metadata.name ? -1 : 1);
}

function commandsOf(task: Task, run: RunView): readonly OriginCommand[] {
  const { runId } = run;
  const { outcome } = task.status ?? {};
  if (outcome !== undefined) return [cancel(runId, 'task-ended', 'operator', `its Task was ended as ${outcome}`)];
  if (isLeaving(task)) return [cancelOfGone(runId)];
  if (task.spec.cancel) return [cancel(runId, 'task-cancel', 'kubectl', 'spec.cancel is set')];
  return [...run.approvals.flatMap((pending) => decisionsOn(pending, task)), ...answersTo(run, task)];
}

function answersTo({ runId, question }: RunView, task: Task): readonly OriginCommand[] {
  const answer = task.spec.answers.find((it) => it.question === question?.questionId);
  if (answer === undefined) return [];
  const { question: questionId, text, by } = answer;
  return [
    {
      originId: `task-answer:${questionId}`,
      command: { type: 'AnswerQuestion', runId, questionId, text, by: withoutPrefix(by) },
    },
  ];
}

function decisionsOn({ requestId, argumentsDigest }: ApprovalQuestion, task: Task): readonly OriginCommand[] {
  const approval = task.spec.approvals.find(
    (it) => it.request === requestId && it.argumentsDigest === `sha256:${argumentsDigest}`,
  );
  if (approval === undefined) return [];
  const { decision, reason } = approval;
  const by = withoutPrefix(approval.by);
  return [
    {
      originId: `task-approval:${requestId}`,
      command: { type: 'DecideApproval', requestId, argumentsDigest, decision, by, reason },
    },
  ];
}

function cancel(runId: string, origin: string, by: string, reason: string): OriginCommand {
  return { originId: `${origin}:${runId}`, command: { type: 'CancelRun', runId, by, reason } };
}

/** The runtime adds the prefix; who wrote it into the Task must not have it twice. */
function withoutPrefix(by: string): string {
  return by.replace(/^human:/, '');
}
