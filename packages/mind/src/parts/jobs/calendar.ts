/** What stands in the calendar of the agent now: for the agent itself, and for whoever looks. */
import { lastingJobs, type Jobs, type JobState } from './jobs.ts';
import { nextMomentMs } from './moments-of-job.ts';

/** Moments are milliseconds since 1970. No words: an id is never a stranger's text. */
export interface Calendar {
  readonly active: number;
  /** Of the active ones, those that the agent made for itself. */
  readonly own: number;
  readonly paused: number;
  /** Soonest first. */
  readonly next: readonly CalendarEntry[];
  /** What is past its moment or its due date, and has not begun or is not done; the one that waits longest first. */
  readonly overdue: readonly CalendarEntry[];
  /** Moments that were served, and that nothing serves any more, since the moment that was asked for. */
  readonly fired: number;
  readonly skipped: number;
}

export interface CalendarEntry {
  readonly jobId: string;
  readonly kind: string;
  readonly for: string;
  readonly atMs: number;
}

/** @param sinceMs  from when on firings and skips are counted */
export function calendarOf(jobs: Jobs, nowMs: number, sinceMs: number): Calendar {
  const lasting = lastingJobs(jobs);
  const active = lasting.filter(({ status }) => status === 'Active');
  const dated = active.flatMap(datedOf).toSorted((a, b) => a.atMs - b.atMs);
  const lately = jobs.lately.filter(({ atMs }) => atMs >= sinceMs);
  return {
    active: active.length,
    own: active.filter(({ maker }) => maker.kind === 'Agent').length,
    paused: lasting.length - active.length,
    next: dated.filter(({ atMs }) => atMs > nowMs),
    overdue: dated.filter(({ atMs }) => atMs <= nowMs),
    fired: lately.reduce((sum, it) => sum + it.fired, 0),
    skipped: lately.reduce((sum, it) => sum + it.skipped, 0),
  };
}

/** Nothing for one whose firing is open: it has begun. */
function datedOf(state: JobState): readonly CalendarEntry[] {
  const { job, jobId, open } = state;
  const atMs = job.when.type === 'Open' ? job.when.dueAtMs : nextMomentMs(state);
  return atMs === undefined || open !== undefined ? [] : [{ jobId, kind: job.kind, for: job.for, atMs }];
}
