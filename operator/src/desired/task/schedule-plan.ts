/**
 * The next step of a schedule: which moment gets its Task, which old Tasks to delete, when to look again.
 *
 * I1  A moment gets one Task. The moment gives the Task its name; moments up to the last served one are over; and a Task stays
 *     at least until the schedule's status counts it.
 * I2  One run at a time. A moment that falls into the run of its predecessor is missed. When that run has ended, `catchUp`
 *     decides on missed moments.
 * I3  The existing Tasks and the status both tell the last served moment; the later of the two counts, because the status may
 *     lag.
 * I4  After a clock went back, no moment is served until the clock has passed the last served moment again.
 */
import { momentToServe } from '@retainer/contract/schedule/catch-up';
import type { Moments } from '@retainer/contract/schedule/moments';
import type { ObservedTask, ScheduledRun } from '../../observe/observe-task.ts';

/** Finished Tasks of one schedule that stay for people to look at; the journal keeps the record of each run. */
export const SCHEDULE_HISTORY_MAX = 10;

export interface SchedulePlan {
  /** The moment to serve, by the Task with this number. */
  readonly serve: { readonly momentMs: number; readonly runNumber: number } | undefined;
  /** Unfinished Tasks of a schedule that was cancelled. */
  readonly cancel: readonly ScheduledRun[];
  readonly remove: readonly ScheduledRun[];
  /** For the status: finished runs, and the last served moment after `serve`. */
  readonly runs: number;
  readonly lastScheduledAtMs: number | undefined;
  readonly nextScheduledAtMs: number | undefined;
  /** No moment is left. */
  readonly isOver: boolean;
  /** Undefined if only an event can change anything. */
  readonly wakeAtMs: number | undefined;
}

/** @param mayStart  whether the schedule is admitted */
export function schedulePlan(observed: ObservedTask, nowMs: number, mayStart: boolean): SchedulePlan {
  const { task } = observed;
  const progress = progressOf(observed);
  const reading = mayStart && !progress.isStopped ? readingOf(observed) : undefined;
  const momentMs = reading && dueMoment({ task, nowMs, ...progress }, reading);
  const serve = momentMs === undefined ? undefined : { momentMs, runNumber: progress.started + 1 };
  return {
    serve,
    cancel: task.spec.cancel ? progress.unfinished.filter(({ isCancelled }) => !isCancelled) : [],
    remove: overHistory(observed),
    runs: progress.finished,
    lastScheduledAtMs: momentMs ?? progress.servedMs,
    ...outlook({ task, nowMs, ...progress, servedMs: momentMs ?? progress.servedMs }, serve, reading),
  };
}

function outlook(
  due: Due,
  serve: SchedulePlan['serve'],
  moments: Moments | undefined,
): Pick<SchedulePlan, 'nextScheduledAtMs' | 'isOver' | 'wakeAtMs'> {
  const { task, nowMs, servedMs = 0, unfinished, isStopped, runsMax } = due;
  const nextMs = serve?.runNumber === runsMax ? undefined : nextMoment(task, Math.max(nowMs, servedMs), moments);
  const isIdle = unfinished.length === 0 && serve === undefined;
  return {
    nextScheduledAtMs: nextMs,
    isOver: isStopped || (isIdle && moments !== undefined && nextMs === undefined),
    wakeAtMs: isIdle ? nextMs : undefined,
  };
}

function readingOf({ moments }: ObservedTask): Moments | undefined {
  return moments?.ok === true ? moments.value : undefined;
}

interface Progress {
  readonly started: number;
  readonly finished: number;
  readonly unfinished: readonly ScheduledRun[];
  readonly servedMs: number | undefined;
  readonly runsMax: number;
  /** No further moment is served. */
  readonly isStopped: boolean;
}

/** Runs go one after the other, so the highest number of a finished one is how many are finished. */
function progressOf({ task, scheduledRuns }: ObservedTask): Progress {
  const finished = scheduledRuns.filter(({ isFinished }) => isFinished);
  const started = Math.max(task.runs, ...scheduledRuns.map(({ runNumber }) => runNumber));
  const runsMax = task.spec.schedule?.maxRuns ?? Infinity;
  return {
    started,
    finished: Math.max(task.runs, ...finished.map(({ runNumber }) => runNumber)),
    unfinished: scheduledRuns.filter(({ isFinished }) => !isFinished),
    servedMs: latestOf(task.lastScheduledAtMs, ...scheduledRuns.map(({ momentMs }) => momentMs)),
    runsMax,
    isStopped: task.spec.cancel || task.outcome !== undefined || started >= runsMax,
  };
}

interface Due extends Progress {
  readonly task: ObservedTask['task'];
  readonly nowMs: number;
}

function dueMoment({ task, nowMs, servedMs, unfinished }: Due, moments: Moments): number | undefined {
  if (unfinished.length > 0) return undefined;
  return momentToServe(moments, {
    catchUp: task.spec.schedule?.catchUp ?? 'Once',
    servedMs: servedMs ?? task.createdAtMs,
    nowMs,
    untilMs: task.untilMs,
  });
}

function nextMoment(
  { untilMs = Infinity }: ObservedTask['task'],
  afterMs: number,
  moments: Moments | undefined,
): number | undefined {
  const nextMs = moments?.after(afterMs);
  return nextMs === undefined || nextMs > untilMs ? undefined : nextMs;
}

/** Only runs that the status counts: see I1. */
function overHistory({ task, scheduledRuns }: ObservedTask): readonly ScheduledRun[] {
  const finished = scheduledRuns.filter(({ isFinished }) => isFinished);
  return finished
    .slice(0, Math.max(0, finished.length - SCHEDULE_HISTORY_MAX))
    .filter(({ runNumber }) => runNumber <= task.runs);
}

function latestOf(...moments: readonly (number | undefined)[]): number | undefined {
  const known = moments.filter((momentMs) => momentMs !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
