/**
 * All jobs, as the record tells of them.
 *
 * I1  Nothing that a run does ends a schedule: only `JobCancelled` and `JobOver` do, and the end of the one firing of a job with one
 *     moment.
 * I2  Of a job, one firing is open at most.
 * I3  What was served is served: `servedMs` goes back for another timing only, never with the wall clock.
 */
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { z } from 'zod';
import { defineProjection } from '../../part/projection.ts';
import { type JobDefinition, jobKinds, madeFields } from './job.ts';

/**
 * Jobs of the agent's tools that are over and still listed, the newest ones. The record has all; so many take some 2 MB. Those of
 * manifests, of Tasks and follow-ups stay: a job that a person ended must not come back, and they are few.
 */
export const OVER_JOBS_KEPT = 1_000;

export const JOB_STATUSES = ['Active', 'Paused', 'Cancelled', 'Done', 'Failed'] as const;

const Firing = z.object({
  momentMs: z.number(),
  runId: z.string().exactOptional(),
  isWanted: z.literal(true).exactOptional(),
  /** When it was recorded. */
  atMs: z.number(),
});

/** Firings and skips that are known by their moment, the newest ones: more than a day of a busy calendar. */
const LATELY_KEPT = 500;

/** What came of moments, by one record. */
const Lately = z.object({ atMs: z.number(), fired: z.number(), skipped: z.number() });

/** Moments are milliseconds since 1970. */
const JobState = z.object({
  ...madeFields,
  createdAtMs: z.number(),
  /** Of its `JobCreated`. */
  seq: z.number(),
  status: z.enum(JOB_STATUSES),
  /** Why it is not active, and who said so; absent: it is, or the agent itself did. */
  statusReason: z.string().exactOptional(),
  statusBy: z.string().exactOptional(),
  cancelledAtMs: z.number().exactOptional(),
  /** Moments up to this one are over. */
  servedMs: z.number(),
  /** Firings so far, and those that came to nothing. */
  fired: z.number(),
  failed: z.number(),
  skipped: z.number(),
  open: Firing.exactOptional(),
  wantedAtMs: z.number().exactOptional(),
  deferred: jobKinds.JobDeferred.omit({ jobId: true }).exactOptional(),
  last: z
    .object({
      momentMs: z.number(),
      atMs: z.number(),
      outcome: z.string(),
      runId: z.string().exactOptional(),
      why: z.string().exactOptional(),
    })
    .exactOptional(),
  /** Of the last result that was one. */
  resultDigest: z.string().exactOptional(),
});
export type JobState = Readonly<z.infer<typeof JobState>>;

export interface Jobs {
  /** Oldest first. */
  readonly byId: Map<string, JobState>;
  /** Ids of those of the agent's tools that are over, the newest ones. */
  readonly over: Set<string>;
  /** Oldest first. */
  readonly lately: z.infer<typeof Lately>[];
}

/** Whether its moments still come, now or after a pause. */
export function isLasting({ status }: Pick<JobState, 'status'>): boolean {
  return status === 'Active' || status === 'Paused';
}

/** A person may close the subject of a follow-up that is over, too, so that it does not come again. */
export function isCancellable(job: Pick<JobState, 'status' | 'source'>): boolean {
  return isLasting(job) || (job.source === 'FollowUp' && job.status !== 'Cancelled');
}

type Change = Partial<{ readonly [Key in keyof JobState]: JobState[Key] | undefined }>;

function change({ byId }: Jobs, jobId: string, to: (job: JobState) => Change): void {
  const before = byId.get(jobId);
  if (before === undefined) return;
  const entries = Object.entries({ ...before, ...to(before) }).filter(([, value]) => value !== undefined);
  byId.set(jobId, Object.fromEntries(entries) as unknown as JobState);
}

function end(jobs: Jobs, jobId: string, to: (job: JobState) => Change): void {
  change(jobs, jobId, (job) => ({ ...to(job), wantedAtMs: undefined, deferred: undefined }));
  if (jobs.byId.get(jobId)?.source !== 'Tool') return;
  jobs.over.add(jobId);
  if (jobs.over.size <= OVER_JOBS_KEPT) return;
  // A firing that is open still has to end in its job.
  const oldest = [...jobs.over].find((id) => jobs.byId.get(id)?.open === undefined);
  if (oldest === undefined) return;
  jobs.over.delete(oldest);
  jobs.byId.delete(oldest);
}

function noteLately({ lately }: Jobs, what: z.infer<typeof Lately>): void {
  lately.push(what);
  if (lately.length > LATELY_KEPT) lately.shift();
}

/** A moment of a cron text that lies before the job was made was never its moment; a job's one moment is, however late its record. */
function servedBefore({ when }: JobDefinition, madeAtMs: number): number {
  return when.type === 'Moment' ? when.atMs - 1 : madeAtMs;
}

/** Outcomes of a firing that brought what was wanted. */
const GOOD: ReadonlySet<string> = new Set(['Accepted', 'Succeeded', 'Delivered']);

export const isGoodEnd = (outcome: string): boolean => GOOD.has(outcome);

export const jobs = defineProjection({
  store: 'job',
  kinds: jobKinds,
  start: (): Jobs => ({ byId: new Map(), over: new Set(), lately: [] }),
  folds: {
    JobCreated: ({ byId, over }, created, { timeMs, seq }) => {
      const counts = { fired: 0, failed: 0, skipped: 0 };
      byId.delete(created.jobId);
      over.delete(created.jobId);
      byId.set(created.jobId, {
        ...created,
        ...counts,
        ...{ createdAtMs: timeMs, seq, status: 'Active', servedMs: servedBefore(created.job, timeMs) },
      });
    },
    JobChanged: (state, { jobId, job, label, task, named }, { timeMs }) =>
      change(state, jobId, ({ servedMs, task: before, job: { when } }) => ({
        ...{ job, label, task: task ?? before, named, deferred: undefined },
        // Other words for the same moments lose none of them.
        servedMs: canonicalJson(when) === canonicalJson(job.when) ? servedMs : servedBefore(job, timeMs),
      })),
    JobPaused: (state, { jobId, reason, by }) =>
      change(state, jobId, () => ({ status: 'Paused', statusReason: reason, statusBy: by, deferred: undefined })),
    JobResumed: (state, { jobId }, { timeMs }) =>
      change(state, jobId, ({ servedMs, job }) => ({
        ...{ status: 'Active', statusReason: undefined, statusBy: undefined },
        // Also where a clock that was far ahead has served moments that are still to come.
        servedMs: job.when.type === 'Cron' ? timeMs : servedMs,
      })),
    JobCancelled: (state, { jobId, reason, by }, { timeMs: cancelledAtMs }) =>
      end(state, jobId, () => ({ status: 'Cancelled', statusReason: reason, statusBy: by, cancelledAtMs })),
    JobWanted: (state, { jobId, momentMs }) => change(state, jobId, () => ({ wantedAtMs: momentMs })),
    JobFired: (state, { jobId, momentMs, runId, isWanted }, { timeMs }) => {
      noteLately(state, { atMs: timeMs, fired: 1, skipped: 0 });
      change(state, jobId, ({ servedMs, fired }) => ({
        open: {
          ...{ momentMs, atMs: timeMs },
          ...(runId === undefined ? {} : { runId }),
          ...(isWanted === undefined ? {} : { isWanted }),
        },
        fired: fired + 1,
        deferred: undefined,
        ...(isWanted === true ? { wantedAtMs: undefined } : { servedMs: Math.max(servedMs, momentMs) }),
      }));
    },
    JobEnded: (state, { jobId, momentMs, outcome, runId, why, resultDigest }, { timeMs: atMs }) => {
      const isGood = isGoodEnd(outcome);
      const last = {
        ...{ momentMs, atMs, outcome },
        ...(runId === undefined ? {} : { runId }),
        ...(why === undefined ? {} : { why }),
      };
      const after = ({ failed, resultDigest: before }: JobState): Change => ({
        ...{ open: undefined, last, failed: failed + (isGood ? 0 : 1), resultDigest: resultDigest ?? before },
      });
      const job = state.byId.get(jobId);
      // A run that puts its own job off leaves it another moment.
      const isItsOnly = job?.job.when.type === 'Moment' && job.job.when.atMs === momentMs && isLasting(job);
      if (isItsOnly) end(state, jobId, (it) => ({ ...after(it), status: isGood ? 'Done' : 'Failed' }));
      else change(state, jobId, after);
    },
    JobSkipped: (state, { jobId, count, lastMs }, { timeMs }) => {
      noteLately(state, { atMs: timeMs, fired: 0, skipped: count });
      change(state, jobId, ({ servedMs, skipped }) => ({
        servedMs: Math.max(servedMs, lastMs),
        skipped: skipped + count,
        deferred: undefined,
      }));
    },
    JobDeferred: (state, { jobId, ...deferred }) => change(state, jobId, () => ({ deferred })),
    JobPurged: ({ byId, over }, { jobId }) => {
      if (over.delete(jobId)) byId.delete(jobId);
    },
    JobOver: (state, { jobId, status, reason, by }) =>
      end(state, jobId, () => ({ status, statusReason: reason, statusBy: by })),
  },
  window: 'WholeStore',
  cached: {
    version: 2,
    schema: z.object({ jobs: z.array(JobState), over: z.array(z.string()), lately: z.array(Lately) }),
    keep: ({ byId, over, lately }) => ({ jobs: [...byId.values()], over: [...over], lately: [...lately] }),
    restore: ({ byId, over, lately }, kept) => {
      lately.push(...kept.lately);
      for (const job of kept.jobs) byId.set(job.jobId, job);
      for (const jobId of kept.over) over.add(jobId);
    },
  },
});

/** Lasting ones, oldest first. */
export function lastingJobs({ byId }: Jobs): readonly JobState[] {
  return [...byId.values()].filter(isLasting);
}

/** The job whose open firing is this run. */
export function jobOfRun({ byId }: Jobs, runId: string): JobState | undefined {
  for (const job of byId.values()) if (job.open?.runId === runId) return job;
  return undefined;
}
