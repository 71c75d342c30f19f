/**
 * Jobs that stand still. Each wait of a job has an end: a run that of its timeout, a moment that of the longest deferral and of the
 * budget that it waits for. What lasts longer does not pass by itself. Pure.
 *
 * What people chose is no stall: a paused job, a scheduler that is off, an hour in which no cycle is allowed, and the rest of a day
 * whose budget is used up.
 */
import { isOfDay } from '../../gate/budget/budget.ts';
import { isForAgent } from './job.ts';
import { isLasting, type Jobs, type JobState } from './jobs.ts';
import { nextMomentMs } from './moments-of-job.ts';

/** Moments are milliseconds since 1970. */
export interface StallLimits {
  /** Whether the agent starts work by itself, and may in some hour. Words to people come all the same. */
  readonly isEnabled: boolean;
  /** The longest that recurring work waits for people. */
  readonly maxDeferralMs: number;
  /** `spec.scheduler.jobTimeout`, by the clock of the run, which stands while a person is asked. */
  readonly jobTimeoutMs: number;
  /** `spec.control.watchdogFactor`: a run is given up after this multiple of its time. */
  readonly watchdogFactor: number;
  /** When the agent began to work: nothing has waited for it before. */
  readonly awakeSinceMs: number;
  /** When the clock of a run began, without the time in which it stood; undefined: no such run is open. */
  readonly runSinceMs: (runId: string) => number | undefined;
}

export interface StalledJob {
  readonly jobId: string;
  /** `Firing`: it has no end. `Moment`: nothing began for it. */
  readonly what: 'Firing' | 'Moment';
  readonly sinceMs: number;
}

/** A run that is over is delivered and archived in this time, and a notice becomes a file. */
export const END_GRACE_MS = 60_000;
/** The turn of a moment behind others for the budget of a rolling hour. What is held by that of a day waits longer, see below. */
export const BUDGET_WAIT_MS_MAX = 3_600_000;

/** Oldest job first. */
export function stalledJobs({ byId }: Jobs, nowMs: number, limits: StallLimits): readonly StalledJob[] {
  const stalled: StalledJob[] = [];
  const dayFreeAtMs = Math.max(0, ...[...byId.values()].map(dayBudgetFreeAtMs));
  for (const state of byId.values()) {
    const { jobId } = state;
    const firing = firingSinceMs(state, limits);
    const momentMs = firing === undefined ? momentSinceMs(state, limits, dayFreeAtMs) : undefined;
    if (firing !== undefined && nowMs - firing.sinceMs > firing.msMax)
      stalled.push({ jobId, what: 'Firing', sinceMs: firing.sinceMs });
    if (momentMs !== undefined && nowMs - momentMs > limits.maxDeferralMs + BUDGET_WAIT_MS_MAX)
      stalled.push({ jobId, what: 'Moment', sinceMs: momentMs });
  }
  return stalled;
}

/** Of an open firing; that of a cancelled job is open, too. */
function firingSinceMs({ open }: JobState, limits: StallLimits): { sinceMs: number; msMax: number } | undefined {
  if (open === undefined) return undefined;
  const { runId, atMs } = open;
  const { jobTimeoutMs, watchdogFactor, awakeSinceMs, runSinceMs } = limits;
  const sinceMs = runId === undefined ? atMs : (runSinceMs(runId) ?? atMs);
  const runMs = runId === undefined ? 0 : jobTimeoutMs * watchdogFactor;
  return { sinceMs: Math.max(sinceMs, awakeSinceMs), msMax: runMs + END_GRACE_MS };
}

/** The first in the line tells the wait for a budget; the others wait behind. */
function dayBudgetFreeAtMs({ deferred }: JobState): number {
  const { field, untilMs = 0 } = deferred ?? {};
  return field !== undefined && isOfDay(field) ? untilMs : 0;
}

/** Since when a moment waits for no reason that was told; it may be still to come. Undefined: none does. */
function momentSinceMs(state: JobState, limits: StallLimits, dayFreeAtMs: number): number | undefined {
  const { job, last, deferred } = state;
  const dueMs = dueMsOf(state, limits);
  if (dueMs === undefined) return undefined;
  const heldUntilMs = Math.max(deferred?.untilMs ?? 0, isForAgent(job) ? dayFreeAtMs : 0);
  return Math.max(dueMs, last?.atMs ?? dueMs, limits.awakeSinceMs, heldUntilMs);
}

function dueMsOf(state: JobState, { isEnabled }: StallLimits): number | undefined {
  const { status, wantedAtMs, job, source } = state;
  if (!isLasting(state) || (isForAgent(job) && !isEnabled && source !== 'Task')) return undefined;
  return wantedAtMs ?? (status === 'Active' ? nextMomentMs(state) : undefined);
}
