/**
 * Compares the Tasks of the API server with the agent's runs, and decides which Tasks to take and which commands to send. Pure.
 * Takes the whole list each time, so the next comparison makes up for a missed event.
 *
 * I1  A Task is taken if the operator has admitted it, it has no outcome, and it is not the template of a schedule; by priority, then
 *     by creation time; at most as many at once as the Agent allows.
 * I2  A run ends if its Task is cancelled, deleted, or ended by somebody else.
 * I3  A person's decision applies to exactly the arguments shown, an answer to exactly the open question.
 */
import { ANNOTATIONS } from '@retainer/contract/api/names';
import type { Task } from '@retainer/contract/api/task';
import type { ApprovalQuestion } from '@retainer/mind/cycle/state';
import type { Parked } from '@retainer/mind/request/parked';
import type { Command } from '@retainer/mind/run/inbox';
import type { RunEventOf } from '@retainer/mind/run/event';
import type { Held } from '@retainer/mind/parts/aside/set-aside';
import type { OpenQuestion } from '@retainer/mind/run/state';

export interface RunView {
  readonly runId: string;
  readonly task: { readonly namespace: string; readonly name: string };
  readonly isConcluded: boolean;
  /** The program failed in it: nobody drives it. */
  readonly isSetAside: boolean;
  /** It waits under a changed character until a person lets it go on; absent: it does not. */
  readonly held?: Held;
  /** A cycle began or ended a wait for a person, but the run has not recorded it yet: a report would be outdated at once. */
  readonly isBetweenWaits: boolean;
  readonly startedAtMs: number;
  readonly approvals: readonly ApprovalQuestion[];
  /** Requests for which the Task has an entry with another digest: it decides nothing. */
  readonly mistyped: readonly string[];
  /** Requests that the Task has entries for and that this run never made: they were there when somebody made the Task. */
  readonly unasked?: readonly string[];
  readonly question: OpenQuestion | undefined;
  /** Time of the last answer, milliseconds since 1970. */
  readonly answeredAtMs: number | undefined;
  /** End of the last wait for an approval, milliseconds since 1970. */
  readonly decidedAtMs: number | undefined;
  /** See `ModelWait`. */
  readonly parked?: Parked;
  readonly unparkedAtMs?: number;
  /** The last round that did not end the run. */
  readonly steered: RunEventOf<'RoundSteered'> | undefined;
  /** Under which character it goes on; absent: under that of its admission. */
  readonly change?: RunEventOf<'CharacterChanged'>;
}

export interface TaskView {
  readonly task: Task;
  readonly runId: string;
}

export interface OriginCommand {
  /** Equal for equal requests, so that each is accepted once. */
  readonly originId: string;
  readonly command: Exclude<Command, { type: 'StartRun' }>;
}

export interface TaskDecisions {
  /** In this order. */
  readonly take: readonly Task[];
  /** Number of admitted Tasks above the limit of concurrent runs. */
  readonly waiting: number;
  readonly commands: readonly OriginCommand[];
  /** Runs whose Task is not in the list: ask the API server before ending them. */
  readonly orphans: readonly RunView[];
  readonly reports: readonly { readonly task: Task; readonly run: RunView }[];
}

export interface TaskSituation {
  readonly tasks: readonly TaskView[];
  readonly runs: readonly RunView[];
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
  const free = Math.max(0, concurrentMax - active.filter((run) => !run.isSetAside).length);
  return {
    take: wanted.slice(0, free),
    waiting: Math.max(0, wanted.length - free),
    commands: pairs.flatMap(({ task, run }) => commandsOf(task, run)),
    orphans: active.filter((run) => !byRun.has(run.runId)),
    reports: pairs
      .filter(({ task, run }) => isOpen(task) && !isLeaving(task) && !run.isBetweenWaits)
      .map(({ task, run }) => ({ task, run: { ...run, ...unusedIn(task, run) } })),
  };
}

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
  if (outcome !== undefined) return [cancel(runId, 'task-ended', 'operator', `its Task ended as ${outcome}`)];
  if (isLeaving(task)) return [cancelOfGone(runId)];
  if (task.spec.cancel) {
    const { by, reason } = saidBy(task, CANCELLED);
    return [cancel(runId, 'task-cancel', by, reason)];
  }
  return [
    ...continued(run, task),
    ...run.approvals.flatMap((pending) => decisionsOn(pending, task)),
    ...answersTo(run, task),
  ];
}

/** A person lets it go on under exactly this character. */
function continued({ runId, held }: RunView, task: Task): readonly OriginCommand[] {
  if (held === undefined || task.spec.continueUnder !== held.to) return [];
  return [
    {
      originId: `task-continue:${runId}:${held.to}`,
      command: { type: 'RetryRun', runId, ...saidBy(task, CONTINUED) },
    },
  ];
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

function unusedIn({ spec }: Task, { runId, approvals }: RunView): Pick<RunView, 'mistyped' | 'unasked'> {
  const isMistyped = ({ requestId, argumentsDigest }: ApprovalQuestion): boolean =>
    spec.approvals.some((it) => it.request === requestId && it.argumentsDigest !== `sha256:${argumentsDigest}`);
  return {
    mistyped: approvals.filter(isMistyped).map(({ requestId }) => requestId),
    // Every request of a run begins with its id.
    unasked: spec.approvals.map(({ request }) => request).filter((request) => !request.startsWith(`${runId}-`)),
  };
}

function cancel(runId: string, origin: string, by: string, reason: string): OriginCommand {
  return { originId: `${origin}:${runId}`, command: { type: 'CancelRun', runId, by, reason } };
}

/** As long as the name and the reason of a decision may be. */
const BY_CHARACTERS_MAX = 253;
const REASON_CHARACTERS_MAX = 1024;

/** Where a Task says who decided and why, and what the record says if it does not. */
interface Notes {
  readonly by: string;
  readonly reason: string;
  readonly reasonElse: string;
}
const CANCELLED: Notes = {
  by: ANNOTATIONS.cancelledBy,
  reason: ANNOTATIONS.cancelReason,
  reasonElse: 'spec.cancel is set',
};
const CONTINUED: Notes = {
  by: ANNOTATIONS.continuedBy,
  reason: ANNOTATIONS.continueReason,
  reasonElse: 'spec.continueUnder names the changed character',
};

function saidBy(
  { metadata: { annotations = {} } }: Task,
  notes: Notes,
): { readonly by: string; readonly reason: string } {
  const note = (key: string, charactersMax: number, otherwise: string): string => {
    const said = annotations[key]?.slice(0, charactersMax) ?? '';
    return said.trim() === '' ? otherwise : said;
  };
  return {
    by: withoutPrefix(note(notes.by, BY_CHARACTERS_MAX, 'kubectl')),
    reason: note(notes.reason, REASON_CHARACTERS_MAX, notes.reasonElse),
  };
}

/** The runtime adds the prefix; a Task may already contain it. */
function withoutPrefix(by: string): string {
  return by.replace(/^human:/, '');
}
