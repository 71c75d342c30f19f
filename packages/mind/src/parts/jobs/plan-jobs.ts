/**
 * What is to be done about all jobs now, and when to look again. Pure: the same record and the same circumstances give the same plan.
 *
 * I1  A moment is served at most once, and a job has one firing at a time.
 * I2  A moment that no firing serves is told of as skipped, before the next one of its job fires.
 * I3  Words to people wait for nothing. Work of the agent's own waits for the budgets; recurring work waits for people, too, and
 *     no longer than the Agent says.
 *
 * Source: springdrift 9 (limits, idle gate, no overlap). Differs: what waits for the budget wakes at the moment that frees it.
 */
import { momentToServe } from '@retainer/contract/schedule/catch-up';
import { budgetPath, type OwnTimeWait } from '../../gate/budget/budget.ts';
import type { JobRecordOf, JOB_SKIPS } from './job.ts';
import { isForAgent } from './job.ts';
import { isLasting, type Jobs, type JobState } from './jobs.ts';
import { isUsedUp, momentsOf, nextMomentMs, untilMsOf } from './moments-of-job.ts';

export interface JobLimits {
  /** Whether the agent starts work by itself. Words to people, schedules of Tasks and what a person wants now do not hang on it. */
  readonly isEnabled: boolean;
  readonly idleAfterMs: number;
  readonly maxDeferralMs: number;
  /** Runs of people's jobs at a time. */
  readonly peopleSlots: number;
}

/** Runs at a time of jobs that the agent made for itself: they delay nobody. */
export const OWN_SLOTS = 1;

/** Missed moments that are counted one by one; beyond them the count says so many. */
export const SKIPS_COUNTED_MAX = 1_000;

/** Firings of one plan; the next plan follows its steps at once. So a thousand at one moment hold up nothing that comes between. */
export const FIRINGS_AT_ONCE_MAX = 50;

/** Circumstances. Moments are milliseconds since 1970. */
export interface Around {
  readonly nowMs: number;
  readonly limits: JobLimits;
  /** When somebody last used the agent; absent: not that anybody knows. */
  readonly usedAtMs?: number;
  /** What a job waits for before it may begin. Absent: nothing. */
  readonly budgetWait?: OwnTimeWait;
  /** When the record was restored from an earlier copy; absent: it never was. */
  readonly restoredAtMs?: number;
}

export type JobStep =
  | { readonly type: 'Fire'; readonly jobId: string; readonly momentMs: number; readonly isWanted: boolean }
  | ({ readonly type: 'Skip' } & JobRecordOf<'JobSkipped'>)
  | ({ readonly type: 'Defer' } & JobRecordOf<'JobDeferred'>)
  | ({ readonly type: 'Over' } & Pick<JobRecordOf<'JobOver'>, 'jobId' | 'status' | 'reason'>);

export interface JobPlan {
  /** In the order in which they are done; another plan follows them at once. */
  readonly steps: readonly JobStep[];
  /** When to look again, if nothing happens before; absent: something has to happen. */
  readonly wakeAtMs?: number;
}

/** A moment that has come. */
interface Due {
  readonly state: JobState;
  readonly momentMs: number;
  /** The first moment that waits: what the longest wait counts from. */
  readonly sinceMs: number;
  readonly isWanted: boolean;
}

class Planner {
  readonly steps: JobStep[] = [];
  readonly #around: Around;
  readonly #running: { own: number; people: number };
  #wakeAtMs = Infinity;
  #isBudgetTold = false;
  #firings = 0;

  constructor(jobs: Jobs, around: Around) {
    this.#around = around;
    const open = [...jobs.byId.values()].filter((it) => it.open?.runId !== undefined);
    const own = open.filter(isOwn).length;
    this.#running = { own, people: open.length - own };
  }

  get plan(): JobPlan {
    return { steps: this.steps, ...(this.#wakeAtMs === Infinity ? {} : { wakeAtMs: this.#wakeAtMs }) };
  }

  wakeAt(atMs: number | undefined): void {
    if (atMs !== undefined) this.#wakeAtMs = Math.min(this.#wakeAtMs, atMs);
  }

  serve(due: Due): void {
    if (this.#firings >= FIRINGS_AT_ONCE_MAX || !this.#mayBegin(due)) return;
    const { state, momentMs, isWanted } = due;
    if (!isWanted) this.#skipBefore(state, momentMs);
    this.steps.push({ type: 'Fire', jobId: state.jobId, momentMs, isWanted });
    this.#firings += 1;
    if (isForAgent(state.job)) this.#running[slotOf(state)] += 1;
  }

  /** Moments that nothing serves. @param untilMs  the last that may count */
  skip(state: JobState, untilMs: number, why?: (typeof JOB_SKIPS)[number]): void {
    const lastCounted = Math.min(untilMs, untilMsOf(state.job) ?? Infinity);
    const range = { afterMs: state.servedMs, untilMs: lastCounted, countMax: SKIPS_COUNTED_MAX };
    const missed = momentsOf(state).latest(range);
    const [firstMs] = missed;
    const lastMs = missed.at(-1);
    if (firstMs === undefined || lastMs === undefined) return;
    const nextAtMs = nextMomentMs({ ...state, servedMs: lastMs });
    const next = nextAtMs === undefined ? {} : { nextAtMs };
    const told = {
      jobId: state.jobId,
      why: why ?? whySkipped(state, firstMs),
      count: missed.length,
      firstMs,
      lastMs,
      ...next,
    };
    this.steps.push({ type: 'Skip', ...told });
  }

  #skipBefore(state: JobState, momentMs: number): void {
    const first = nextMomentMs(state);
    if (first !== undefined && first < momentMs) this.skip(state, momentMs - 1);
  }

  #mayBegin(due: Due): boolean {
    const { state, isWanted } = due;
    if (!isForAgent(state.job)) return true;
    const { limits } = this.#around;
    const hasSlot = this.#running[slotOf(state)] < (isOwn(state) ? OWN_SLOTS : limits.peopleSlots);
    // The schedule of a Task is people's work, wherever it is kept: it counts as a Task, and waits as one.
    if (state.source === 'Task') return hasSlot;
    if (!isWanted && (!limits.isEnabled || this.#waitsForPeople(due))) return false;
    return hasSlot && !this.#waitsForBudget(due);
  }

  #waitsForPeople({ state, momentMs, sinceMs }: Due): boolean {
    const { usedAtMs, nowMs, limits } = this.#around;
    if (state.job.when.type !== 'Cron' || usedAtMs === undefined) return false;
    const untilMs = Math.min(usedAtMs + limits.idleAfterMs, sinceMs + limits.maxDeferralMs);
    if (nowMs >= untilMs) return false;
    this.#defer(state, { momentMs, why: 'InUse', untilMs });
    return true;
  }

  #waitsForBudget({ state, momentMs }: Due): boolean {
    const { budgetWait, nowMs } = this.#around;
    if (budgetWait === undefined) return false;
    const { field, freeAtMs } = budgetWait;
    if (freeAtMs !== 'Never' && freeAtMs <= nowMs) return false;
    // The first in the line tells it; the others wait behind.
    if (!this.#isBudgetTold) {
      if (freeAtMs === 'Never') this.#defer(state, { momentMs, why: 'NoCycles' });
      else this.#defer(state, { momentMs, why: 'Budget', field, untilMs: freeAtMs });
    }
    this.#isBudgetTold = true;
    return true;
  }

  /**
   * Told once for a moment and a reason, and not again before the told time has passed: moments of a frequent job move on meanwhile. Of a
   * budget again, where another one holds it or it is free later than was told.
   */
  #defer({ jobId, deferred }: JobState, wait: Omit<JobRecordOf<'JobDeferred'>, 'jobId'>): void {
    this.wakeAt(wait.untilMs);
    const isTold = deferred?.why === wait.why && deferred.field === wait.field;
    const isItsMoment = wait.why !== 'Budget' && deferred?.momentMs === wait.momentMs;
    if (isTold && (isItsMoment || this.#around.nowMs < (deferred.untilMs ?? Infinity))) return;
    this.steps.push({ type: 'Defer', jobId, ...wait });
  }
}

const isOwn = ({ maker }: JobState): boolean => maker.kind === 'Agent';
const slotOf = (state: JobState): 'own' | 'people' => (isOwn(state) ? 'own' : 'people');

/** While the last run worked, or while nobody was there. */
function whySkipped({ last }: JobState, firstMs: number): (typeof JOB_SKIPS)[number] {
  return last !== undefined && last.momentMs < firstMs && firstMs <= last.atMs ? 'StillRunning' : 'Missed';
}

/** In the order in which they have waited. */
export function planJobs(jobs: Jobs, around: Around): JobPlan {
  const planner = new Planner(jobs, around);
  const due: Due[] = [];
  for (const state of jobs.byId.values()) {
    if (!isLasting(state) || state.open !== undefined) continue;
    const { wantedAtMs, status } = state;
    if (wantedAtMs !== undefined) due.push({ state, momentMs: wantedAtMs, sinceMs: wantedAtMs, isWanted: true });
    else if (status === 'Active') due.push(...lookAt(state, planner, around));
  }
  for (const it of due.toSorted((a, b) => a.sinceMs - b.sinceMs)) planner.serve(it);
  return planner.plan;
}

/** What is due of one active job; what is over, and what is to come, goes into the plan. */
function lookAt(state: JobState, planner: Planner, { nowMs, restoredAtMs = -Infinity }: Around): readonly Due[] {
  const sinceMs = nextMomentMs(state);
  if (sinceMs === undefined || isUsedUp(state)) {
    if (state.job.when.type !== 'Open') planner.steps.push(overOf(state));
    return [];
  }
  if (sinceMs > nowMs) {
    planner.wakeAt(sinceMs);
    return [];
  }
  // What the lost machine did after its last copy, nobody knows: work is not done twice. Words may come twice.
  if (sinceMs <= restoredAtMs && isForAgent(state.job)) {
    planner.skip(state, Math.min(restoredAtMs, nowMs), 'Restored');
    return [];
  }
  const momentMs = momentOf(state, nowMs);
  if (momentMs !== undefined) return [{ state, momentMs, sinceMs, isWanted: false }];
  planner.skip(state, nowMs);
  return [];
}

/** A job that never fired came to nothing. */
function overOf({ jobId, fired }: JobState): JobStep {
  return fired === 0
    ? { type: 'Over', jobId, status: 'Failed', reason: 'its last moment passed and it never ran' }
    : { type: 'Over', jobId, status: 'Done', reason: 'it has no moment left' };
}

/** A moment that waits for people or the budget does not grow too late by that. */
function momentOf(state: JobState, nowMs: number): number | undefined {
  const { job, servedMs, deferred } = state;
  const { catchUp } = job;
  const isWaiting = deferred !== undefined && deferred.momentMs > servedMs;
  if (catchUp === 'Skip' && isWaiting) return deferred.momentMs;
  return momentToServe(momentsOf(state), { catchUp, servedMs, nowMs, untilMs: untilMsOf(job) });
}

/** Why a moment waits, for people, as the end of a sentence. */
export function deferralText({ why, field }: Pick<JobRecordOf<'JobDeferred'>, 'why' | 'field'>): string {
  switch (why) {
    case 'InUse':
      return 'somebody works with the agent';
    case 'Budget':
      return `too little is left of ${field === undefined ? 'a budget' : budgetPath(field)}`;
    case 'NoCycles':
      return `${budgetPath('schedulerCyclesPerHour')} is 0`;
  }
}
