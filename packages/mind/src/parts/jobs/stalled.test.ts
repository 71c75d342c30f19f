import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { Calendar, jobOf, JOBS_NOW_MS as nowMs } from '../../../../../test/support/calendar.ts';
import { jobs as jobsStore, type Jobs } from './jobs.ts';
import { BUDGET_WAIT_MS_MAX, END_GRACE_MS, stalledJobs, type StallLimits } from './stalled.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const limits = (more: Partial<StallLimits> = {}): StallLimits => ({
  ...{ isEnabled: true, maxDeferralMs: HOUR_MS, jobTimeoutMs: 5 * MINUTE_MS, watchdogFactor: 2, awakeSinceMs: 0 },
  runSinceMs: () => undefined,
  ...more,
});
const RUN_MS_MAX = 10 * MINUTE_MS + END_GRACE_MS;
const WAIT_MS_MAX = HOUR_MS + BUDGET_WAIT_MS_MAX;

describe('a firing', () => {
  const firedAt = (atMs: number, runId: string | undefined = 'r1') =>
    new Calendar().make('j1', jobOf(), nowMs - 24 * HOUR_MS).fire('j1', atMs, runId);

  verifies('jobs-cluster:stalled', 'is stalled once it is open longer than its run may take', () => {
    expect(stalledJobs(firedAt(nowMs - RUN_MS_MAX).jobs, nowMs, limits())).toEqual([]);
    const sinceMs = nowMs - RUN_MS_MAX - 1;
    expect(stalledJobs(firedAt(sinceMs).jobs, nowMs, limits())).toEqual([{ jobId: 'j1', what: 'Firing', sinceMs }]);
  });

  verifies('jobs-cluster:stalled', 'is not stalled for the time in which its run waits for people', () => {
    const runSinceMs = (runId: string) => (runId === 'r1' ? nowMs - MINUTE_MS : undefined);
    expect(stalledJobs(firedAt(nowMs - 9 * HOUR_MS).jobs, nowMs, limits({ runSinceMs }))).toEqual([]);
  });

  verifies('jobs-cluster:stalled', 'of a notice has a minute', () => {
    const { jobs } = new Calendar()
      .make('j1', jobOf({ for: 'Person', kind: 'Reminder' }), nowMs - HOUR_MS)
      .fire('j1', nowMs - END_GRACE_MS - 1, undefined);
    expect(stalledJobs(jobs, nowMs, limits())).toMatchObject([{ what: 'Firing' }]);
    expect(stalledJobs(jobs, nowMs - 1, limits())).toEqual([]);
  });

  verifies(
    'jobs-cluster:stalled',
    'that has ended is not, nor one that the agent could not end while it was down',
    () => {
      const open = firedAt(nowMs - 9 * HOUR_MS);
      expect(stalledJobs(open.jobs, nowMs, limits({ awakeSinceMs: nowMs - MINUTE_MS }))).toEqual([]);
      expect(stalledJobs(open.end('j1', nowMs - MINUTE_MS, 'Succeeded').jobs, nowMs, limits())).toEqual([]);
    },
  );
});

const cron = { type: 'Cron', cron: '0 * * * *', timeZone: 'UTC' } as const;

function deferred(jobs: Jobs, wait: { readonly field: string; readonly untilMs: number }): void {
  const payload = { jobId: 'j1', momentMs: nowMs, why: 'Budget', ...wait };
  jobsStore.take(jobs, { store: 'job', kind: 'JobDeferred', seq: 99, timeMs: nowMs, payload });
}

describe('a moment', () => {
  /** Its first moment is an hour after it was made. */
  const madeAt = (atMs: number, more: Parameters<typeof jobOf>[0] = {}) =>
    new Calendar().make('j1', jobOf({ when: { type: 'Cron', cron: '0 * * * *', timeZone: 'UTC' }, ...more }), atMs);

  verifies(
    'jobs-cluster:stalled',
    'is stalled once it waits longer than people and the budget of an hour may hold it',
    () => {
      const due = madeAt(nowMs - HOUR_MS).jobs;
      expect(stalledJobs(due, nowMs + WAIT_MS_MAX, limits())).toEqual([]);
      expect(stalledJobs(due, nowMs + WAIT_MS_MAX + 1, limits())).toEqual([
        { jobId: 'j1', what: 'Moment', sinceMs: nowMs },
      ]);
      expect(stalledJobs(due, nowMs + WAIT_MS_MAX + 1, limits({ awakeSinceMs: nowMs + 1 }))).toEqual([]);
    },
  );

  verifies('jobs-cluster:stalled', 'that is deferred until later is none, nor one behind a budget of the day', () => {
    const calendar = madeAt(nowMs - HOUR_MS).make('j2', jobOf({ when: cron }), nowMs - HOUR_MS);
    const untilMs = nowMs + 9 * HOUR_MS;
    const stalled = (atMs: number): readonly string[] =>
      stalledJobs(calendar.jobs, atMs, limits()).map(({ jobId }) => jobId);
    deferred(calendar.jobs, { field: 'tokensPerHour', untilMs });
    expect(stalled(untilMs)).toEqual(['j2']);
    deferred(calendar.jobs, { field: 'costUsdPerDay', untilMs });
    expect(stalled(untilMs + WAIT_MS_MAX)).toEqual([]);
    expect(stalled(untilMs + WAIT_MS_MAX + 1)).toEqual(['j1', 'j2']);
  });

  verifies('jobs-cluster:stalled', 'does not wait where people want no work: paused, off, cancelled', () => {
    const lateMs = nowMs + WAIT_MS_MAX + 1;
    expect(stalledJobs(madeAt(nowMs - HOUR_MS).jobs, lateMs, limits({ isEnabled: false }))).toEqual([]);
    expect(stalledJobs(madeAt(nowMs - HOUR_MS).pause('j1', nowMs).jobs, lateMs, limits())).toEqual([]);
    expect(stalledJobs(madeAt(nowMs - HOUR_MS).cancel('j1', nowMs).jobs, lateMs, limits())).toEqual([]);
    const reminder = madeAt(nowMs - HOUR_MS, { for: 'Person' });
    expect(stalledJobs(reminder.jobs, lateMs, limits({ isEnabled: false }))).toHaveLength(1);
  });

  verifies('jobs-cluster:stalled', 'counts from the end of the last run, which nothing may overlap', () => {
    const ended = madeAt(nowMs - HOUR_MS)
      .fire('j1', nowMs, 'r1')
      .end('j1', nowMs + 5 * HOUR_MS, 'Succeeded');
    expect(stalledJobs(ended.jobs, nowMs + 6 * HOUR_MS, limits())).toEqual([]);
  });

  it('of a paused job that a person wants now waits, too', () => {
    const wanted = madeAt(nowMs - HOUR_MS)
      .pause('j1', nowMs - 1)
      .want('j1', nowMs);
    expect(stalledJobs(wanted.jobs, nowMs + WAIT_MS_MAX + 1, limits())).toHaveLength(1);
  });
});
