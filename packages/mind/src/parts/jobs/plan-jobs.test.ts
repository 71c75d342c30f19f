import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { JobRecords } from '../../../../../test/support/job-records.ts';
import { jobWords, OF_PERSON } from '../../../../../test/support/job-words.ts';
import { verifies } from '../../../../../test/verifies.ts';
import type { JobDefinition, JobMaker, JobTiming } from './job.ts';
import type { Jobs } from './jobs.ts';
import { FIRINGS_AT_ONCE_MAX, planJobs, type Around, type JobStep } from './plan-jobs.ts';
import { recordOfStep } from './record-of-step.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const startMs = Date.UTC(2030, 0, 1);

const hourly: JobTiming = { type: 'Cron', cron: '@hourly', timeZone: 'UTC' };

/** The record of jobs, as a program writes it by the plan. */
class Calendar {
  nowMs = startMs;
  readonly #records = new JobRecords();
  readonly told: (Readonly<Record<string, unknown>> & { readonly kind: string })[] = [];

  get jobs(): Jobs {
    return this.#records.jobs;
  }

  write(kind: string, payload: object): void {
    this.told.push({ kind, ...payload });
    this.#records.nowMs = this.nowMs;
    this.#records.take([{ store: 'job', kind, payload }]);
  }

  make(
    jobId: string,
    job: Partial<JobDefinition> & Pick<JobDefinition, 'when'>,
    maker: JobMaker = { kind: 'Person' },
    source = 'Tool',
  ): void {
    const payload = { jobId, job: jobWords({ name: jobId, ...job }), source, maker, label: OF_PERSON };
    this.write('JobCreated', payload);
  }

  plan(around: Partial<Around> = {}): ReturnType<typeof planJobs> {
    const limits = { isEnabled: true, idleAfterMs: 10 * MINUTE_MS, maxDeferralMs: HOUR_MS, peopleSlots: 3 };
    return planJobs(this.jobs, { nowMs: this.nowMs, limits, ...around });
  }

  /** Writes what the plan says until it says nothing more. @param crashAfter  records of the last plan that reach the disk */
  pass(around: Partial<Around> = {}, crashAfter = Infinity): void {
    for (let left = crashAfter; ;) {
      const { steps } = this.plan(around);
      for (const step of steps) {
        if (left <= 0) return;
        left -= 1;
        this.take(step);
      }
      if (steps.length === 0) return;
    }
  }

  take(step: JobStep): void {
    const state = this.jobs.byId.get(step.jobId);
    const { kind, payload } = recordOfStep(step, state, ({ momentMs }) => `${step.jobId}-${momentMs}`);
    this.write(kind, payload as object);
  }

  finish(jobId: string, outcome = 'Accepted'): void {
    const open = this.jobs.byId.get(jobId)?.open;
    if (open === undefined) return;
    const run = open.runId === undefined ? {} : { runId: open.runId };
    this.write('JobEnded', { jobId, momentMs: open.momentMs, outcome, ...run });
  }

  moments(jobId: string): readonly number[] {
    return this.told.flatMap((it) => (it.kind === 'JobFired' && it['jobId'] === jobId ? [Number(it['momentMs'])] : []));
  }
}

interface Step {
  readonly type: 'Pass' | 'Crash' | 'Finish' | 'Clock' | 'Pause' | 'Resume';
  readonly by: number;
}

const steps = fc.array(
  fc.record({
    type: fc.constantFrom<Step['type']>('Pass', 'Crash', 'Finish', 'Clock', 'Pause', 'Resume'),
    by: fc.integer({ min: -3, max: 5 }),
  }),
  { maxLength: 40 },
);

function live(calendar: Calendar, { type, by }: Step): void {
  if (type === 'Pass') calendar.pass();
  if (type === 'Crash') calendar.pass({}, Math.abs(by));
  if (type === 'Finish') calendar.finish('a', by < 0 ? 'Failed' : 'Accepted');
  if (type === 'Clock') calendar.nowMs = Math.max(startMs, calendar.nowMs + by * HOUR_MS + by * 7 * MINUTE_MS);
  const status = calendar.jobs.byId.get('a')?.status;
  if (type === 'Pause' && status === 'Active') calendar.write('JobPaused', { jobId: 'a', reason: 'why not' });
  if (type === 'Resume' && status === 'Paused') calendar.write('JobResumed', { jobId: 'a', reason: 'go on' });
}

describe('jobs over any history of clocks and crashes', () => {
  for (const catchUp of ['Skip', 'Once', 'All'] as const)
    verifies('jobs:once', `${catchUp}: no moment twice, in order, one firing at a time`, () => {
      fc.assert(
        fc.property(steps, (history) => {
          const calendar = new Calendar();
          calendar.make('a', { kind: 'Recurring', for: 'Agent', when: hourly, catchUp });
          for (const step of history) live(calendar, step);
          const moments = calendar.moments('a');
          expect(moments).toEqual([...new Set(moments)].toSorted((x, y) => x - y));
          const open = calendar.told.reduce((count, { kind }) => {
            const after = count + (kind === 'JobFired' ? 1 : 0) - (kind === 'JobEnded' ? 1 : 0);
            expect(after).toBeLessThanOrEqual(1);
            return after;
          }, 0);
          expect(open).toBeGreaterThanOrEqual(0);
          expect(calendar.jobs.byId.get('a')?.status).toMatch(/Active|Paused/);
        }),
        { seed: 33, numRuns: 200 },
      );
    });

  verifies('jobs:missed', 'every moment that is not served is counted as skipped, where nobody paused', () => {
    const unpaused = steps.map((history) => history.filter(({ type }) => !/Pause|Resume/.test(type)));
    fc.assert(
      fc.property(unpaused, fc.constantFrom('Skip', 'Once', 'All'), (history, catchUp) => {
        const calendar = new Calendar();
        calendar.make('a', { kind: 'Recurring', for: 'Agent', when: hourly, catchUp });
        let latestMs = startMs;
        for (const step of history) {
          live(calendar, step);
          latestMs = Math.max(latestMs, calendar.nowMs);
        }
        calendar.nowMs = latestMs;
        for (let before = -1; before !== calendar.told.length;) {
          before = calendar.told.length;
          calendar.finish('a');
          calendar.pass();
        }
        const { servedMs = 0, fired = 0, skipped = 0 } = calendar.jobs.byId.get('a') ?? {};
        expect(fired + skipped).toBe(Math.floor((servedMs - startMs) / HOUR_MS));
        expect(servedMs).toBe(startMs + Math.floor((latestMs - startMs) / HOUR_MS) * HOUR_MS);
      }),
      { seed: 33, numRuns: 200 },
    );
  });
});

describe('moments of a wall clock', () => {
  /** The time of the job comes twice on one day of the window, or never. */
  const changes = [
    ['Europe/Berlin', '2030-03-29', '02:30', 0],
    ['Europe/Berlin', '2030-10-25', '02:30', 2],
    ['Australia/Lord_Howe', '2030-04-05', '01:45', 2],
    ['Australia/Lord_Howe', '2030-10-04', '02:15', 0],
    ['Africa/Casablanca', '2029-12-28', '02:30', 2],
    ['Africa/Casablanca', '2030-02-08', '02:30', 0],
  ] as const;
  for (const [timeZone, from, time, comes] of changes)
    verifies('jobs:daylight-saving', `a daily job at ${time} fires once a day in ${timeZone} from ${from} on`, () => {
      const calendar = new Calendar();
      const local = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'short' });
      const [hour, minute] = time.split(':').map(Number);
      calendar.nowMs = Date.parse(`${from}T00:00:00Z`);
      const when = { type: 'Cron', cron: `${minute} ${hour} * * *`, timeZone } as const;
      calendar.make('a', { kind: 'Recurring', for: 'Person', when });
      const times = new Map<string, number>();
      const endMs = calendar.nowMs + 6 * DAY_MS;
      for (; calendar.nowMs < endMs; calendar.nowMs += 5 * MINUTE_MS) {
        const [day = '', at] = local.format(calendar.nowMs).split(' ');
        times.set(day, (times.get(day) ?? 0) + (at === time ? 1 : 0));
        calendar.pass();
        calendar.finish('a', 'Delivered');
      }
      const days = calendar.moments('a').map((atMs) => local.format(atMs).split(' ')[0]);
      expect(days).toHaveLength(6);
      expect(new Set(days).size).toBe(6);
      // Without the change, this test would show nothing.
      expect(days.map((day) => times.get(day ?? '')).filter((count) => count !== 1)).toEqual([comes]);
    });

  verifies('jobs:clock-back', 'set back by an hour, they come no second time', () => {
    const calendar = new Calendar();
    calendar.make('a', { kind: 'Recurring', for: 'Person', when: hourly });
    calendar.make('b', { for: 'Person', when: { type: 'Moment', atMs: startMs + HOUR_MS } });
    const tick = (): void => {
      calendar.pass();
      calendar.finish('a', 'Delivered');
      calendar.finish('b', 'Delivered');
    };
    calendar.nowMs = startMs + HOUR_MS;
    tick();
    calendar.nowMs = startMs + 1;
    tick();
    for (; calendar.nowMs < startMs + 2.5 * HOUR_MS; calendar.nowMs += 10 * MINUTE_MS) tick();
    expect(calendar.moments('a')).toEqual([startMs + HOUR_MS, startMs + 2 * HOUR_MS]);
    expect(calendar.moments('b')).toEqual([startMs + HOUR_MS]);
  });
});

describe('what a moment waits for', () => {
  const recurring = { kind: 'Recurring', for: 'Agent', when: hourly } as const;

  verifies('jobs:missed', 'the run before it, and then it is told as skipped for that', () => {
    const calendar = new Calendar();
    calendar.make('a', recurring);
    calendar.nowMs = startMs + HOUR_MS;
    calendar.pass();
    calendar.nowMs = startMs + 3.5 * HOUR_MS;
    calendar.pass();
    expect(calendar.moments('a')).toHaveLength(1);
    calendar.finish('a');
    calendar.pass();
    const [firstMs, servedMs, nextAtMs] = [2, 3, 3].map((hours) => startMs + hours * HOUR_MS);
    expect(calendar.told.filter(({ kind }) => kind === 'JobSkipped')).toEqual([
      { kind: 'JobSkipped', jobId: 'a', why: 'StillRunning', count: 1, firstMs, lastMs: firstMs, nextAtMs },
    ]);
    expect(calendar.moments('a')).toEqual([startMs + HOUR_MS, servedMs]);
    calendar.finish('a');
    calendar.nowMs = startMs + 6.5 * HOUR_MS;
    calendar.pass();
    expect(calendar.told.findLast(({ kind }) => kind === 'JobSkipped')).toMatchObject({ why: 'Missed', count: 2 });
  });

  verifies(
    'jobs:missed',
    'nobody: what passed in a pause, or before its time was changed, is not told as skipped',
    () => {
      const calendar = new Calendar();
      calendar.make('paused', { kind: 'Recurring', for: 'Person', when: hourly });
      calendar.make('changed', { kind: 'Recurring', for: 'Person', when: hourly });
      calendar.write('JobPaused', { jobId: 'paused', reason: 'why not' });
      calendar.nowMs = startMs + 3.5 * HOUR_MS;
      const job = jobWords({ name: 'changed', kind: 'Recurring', when: { ...hourly, cron: '45 * * * *' } });
      calendar.write('JobResumed', { jobId: 'paused', reason: 'go on' });
      calendar.write('JobChanged', { jobId: 'changed', job, label: OF_PERSON });
      calendar.nowMs = startMs + 4 * HOUR_MS;
      calendar.pass();
      expect(calendar.told.filter(({ kind }) => kind === 'JobSkipped')).toEqual([]);
      expect(calendar.moments('paused')).toEqual([startMs + 4 * HOUR_MS]);
      expect(calendar.moments('changed')).toEqual([startMs + 3.75 * HOUR_MS]);
    },
  );

  verifies('jobs:waits', 'the budget and its slot, but no people, where a person wants it now', () => {
    const calendar = new Calendar();
    calendar.make('a', recurring);
    calendar.make('own', recurring, { kind: 'Agent' });
    calendar.make('own-too', recurring, { kind: 'Agent' });
    for (const jobId of ['a', 'own', 'own-too'])
      calendar.write('JobWanted', { jobId, momentMs: startMs, reason: 'now', by: 'ann', originId: jobId });
    const fired = (): readonly number[] => ['a', 'own', 'own-too'].map((it) => calendar.moments(it).length);
    const freeAtMs = startMs + MINUTE_MS;
    const spent = { usedAtMs: startMs, freeAtMs, budgetWait: { field: 'tokensPerHour', freeAtMs } as const };
    calendar.pass(spent);
    expect(fired()).toEqual([0, 0, 0]);
    calendar.pass({ usedAtMs: startMs });
    expect(fired()).toEqual([1, 1, 0]);
    calendar.finish('own');
    calendar.pass({ usedAtMs: startMs });
    expect(fired()).toEqual([1, 1, 1]);
  });

  verifies('jobs:waits', 'people, until they have rested or the longest wait is over, told once', () => {
    const calendar = new Calendar();
    calendar.make('a', recurring);
    for (let minute = 60; minute < 120; minute += 1) {
      calendar.nowMs = startMs + minute * MINUTE_MS;
      calendar.pass({ usedAtMs: calendar.nowMs - MINUTE_MS });
    }
    expect(calendar.moments('a')).toEqual([]);
    expect(calendar.told.filter(({ kind }) => kind === 'JobDeferred')).toMatchObject([{ jobId: 'a', why: 'InUse' }]);
    calendar.nowMs = startMs + 2 * HOUR_MS;
    calendar.pass({ usedAtMs: calendar.nowMs - MINUTE_MS });
    expect(calendar.moments('a')).toHaveLength(1);
  });

  verifies('jobs:waits', 'people: with Skip, that wait makes no moment too late', () => {
    const calendar = new Calendar();
    calendar.make('a', { ...recurring, catchUp: 'Skip' });
    for (let minute = 60; minute < 80; minute += 1) {
      calendar.nowMs = startMs + minute * MINUTE_MS;
      calendar.pass({ usedAtMs: startMs + HOUR_MS });
    }
    expect(calendar.moments('a')).toEqual([startMs + HOUR_MS]);
  });

  verifies('jobs:waits', 'the budget, until the moment that frees it; words to people do not', () => {
    const calendar = new Calendar();
    calendar.make('work', { for: 'Agent', when: { type: 'Moment', atMs: startMs + 1 } });
    calendar.make('words', { for: 'Person', when: { type: 'Moment', atMs: startMs + 1 } });
    calendar.nowMs = startMs + MINUTE_MS;
    const freeAtMs = startMs + HOUR_MS;
    const budgetWait = { field: 'tokensPerDay', freeAtMs } as const;
    calendar.pass({ budgetWait });
    expect([calendar.moments('work').length, calendar.moments('words').length]).toEqual([0, 1]);
    expect(calendar.told).toContainEqual(
      expect.objectContaining({
        kind: 'JobDeferred',
        jobId: 'work',
        why: 'Budget',
        field: 'tokensPerDay',
        untilMs: freeAtMs,
      }),
    );
    expect(calendar.plan({ budgetWait }).wakeAtMs).toBe(freeAtMs);
    calendar.nowMs = freeAtMs;
    calendar.pass({ budgetWait });
    expect(calendar.moments('work')).toHaveLength(1);
  });

  verifies('jobs:waits', 'the budget, and tells it again where another one holds it or it is free later', () => {
    const calendar = new Calendar();
    calendar.make('work', { for: 'Agent', when: { type: 'Moment', atMs: startMs } });
    const hourMs = startMs + HOUR_MS;
    calendar.pass({ budgetWait: { field: 'tokensPerHour', freeAtMs: hourMs } });
    calendar.pass({ budgetWait: { field: 'tokensPerHour', freeAtMs: hourMs + MINUTE_MS } });
    calendar.pass({ budgetWait: { field: 'costUsdPerDay', freeAtMs: hourMs } });
    calendar.nowMs = hourMs;
    calendar.pass({ budgetWait: { field: 'costUsdPerDay', freeAtMs: hourMs + 24 * HOUR_MS } });
    expect(calendar.told.filter(({ kind }) => kind === 'JobDeferred')).toMatchObject([
      { field: 'tokensPerHour', untilMs: hourMs },
      { field: 'costUsdPerDay', untilMs: hourMs },
      { field: 'costUsdPerDay', untilMs: hourMs + 24 * HOUR_MS },
    ]);
  });

  verifies('jobs:waits', 'a manifest that lets the agent begin nothing; words and schedules of Tasks do not', () => {
    const calendar = new Calendar();
    const limits = { isEnabled: false, idleAfterMs: 0, maxDeferralMs: 0, peopleSlots: 3 };
    const when = { type: 'Moment', atMs: startMs + 1 } as const;
    calendar.make('work', { for: 'Agent', when });
    calendar.make('words', { for: 'Person', when });
    calendar.make('schedule', { for: 'Agent', when }, { kind: 'Person' }, 'Task');
    calendar.nowMs = startMs + MINUTE_MS;
    const budgetWait = { field: 'schedulerCyclesPerHour', freeAtMs: 'Never' } as const;
    calendar.pass({ limits, budgetWait, usedAtMs: calendar.nowMs });
    expect(['work', 'words', 'schedule'].map((it) => calendar.moments(it).length)).toEqual([0, 1, 1]);
    calendar.write('JobWanted', { jobId: 'work', momentMs: calendar.nowMs, reason: 'now' });
    calendar.pass({ limits });
    expect(calendar.moments('work')).toEqual([calendar.nowMs]);
  });

  verifies('jobs:own-slot', 'one slot of its own for what the agent made; people have theirs', () => {
    const calendar = new Calendar();
    const when = { type: 'Moment', atMs: startMs + 1 } as const;
    for (const number of [1, 2, 3]) calendar.make(`own-${number}`, { for: 'Agent', when }, { kind: 'Agent' });
    for (const number of [1, 2, 3, 4]) calendar.make(`of-people-${number}`, { for: 'Agent', when });
    calendar.nowMs = startMs + MINUTE_MS;
    calendar.pass();
    const under = [...calendar.jobs.byId.values()].filter(({ open }) => open !== undefined).map(({ jobId }) => jobId);
    expect(under).toEqual(['own-1', 'of-people-1', 'of-people-2', 'of-people-3']);
    calendar.finish('own-1');
    calendar.pass();
    expect(calendar.moments('own-2')).toHaveLength(1);
  });

  verifies('jobs:bounded', 'nothing, where a thousand words to people come at one moment', () => {
    const calendar = new Calendar();
    for (let number = 0; number < 1_000; number += 1)
      calendar.make(`words-${number}`, { for: 'Person', when: { type: 'Moment', atMs: startMs + 1 } });
    calendar.nowMs = startMs + MINUTE_MS;
    expect(calendar.plan().steps).toHaveLength(FIRINGS_AT_ONCE_MAX);
    calendar.pass();
    expect(calendar.told.filter(({ kind }) => kind === 'JobFired')).toHaveLength(1_000);
  });
});

describe('moments before a restoring', () => {
  verifies('jobs:restored', 'are told as skipped where they are work, and served where they are words', () => {
    const calendar = new Calendar();
    calendar.make('work', { kind: 'Recurring', for: 'Agent', when: hourly });
    calendar.make('words', { kind: 'Recurring', for: 'Person', when: hourly });
    calendar.nowMs = startMs + 3.5 * HOUR_MS;
    const restoredAtMs = startMs + 2.5 * HOUR_MS;
    calendar.pass({ restoredAtMs });
    expect(calendar.told).toContainEqual(
      expect.objectContaining({ kind: 'JobSkipped', jobId: 'work', why: 'Restored', count: 2 }),
    );
    expect(calendar.moments('work')).toEqual([startMs + 3 * HOUR_MS]);
    expect(calendar.moments('words')).toEqual([startMs + 3 * HOUR_MS]);
  });
});

describe('the end of a job', () => {
  verifies(
    'jobs:nothing-ends-it',
    'comes by no failure of a run: only its own limits and people end a schedule',
    () => {
      const calendar = new Calendar();
      calendar.make('a', { kind: 'Recurring', for: 'Agent', when: { ...hourly, runsMax: 3 } });
      for (const outcome of ['Failed', 'Abandoned', 'Refused']) {
        calendar.nowMs += HOUR_MS;
        calendar.pass();
        calendar.finish('a', outcome);
        expect(calendar.jobs.byId.get('a')?.status).toBe('Active');
      }
      calendar.pass();
      expect(calendar.jobs.byId.get('a')).toMatchObject({ status: 'Done', fired: 3, failed: 3 });
    },
  );

  verifies('jobs:nothing-ends-it', 'of one moment is that of its run: failed is failed', () => {
    const calendar = new Calendar();
    calendar.make('a', { for: 'Agent', when: { type: 'Moment', atMs: startMs + 1 } });
    calendar.nowMs += MINUTE_MS;
    calendar.pass();
    calendar.finish('a', 'Abandoned');
    expect(calendar.jobs.byId.get('a')?.status).toBe('Failed');
  });

  verifies('jobs:missed', 'comes to one moment that was skipped: failed, with the reason', () => {
    const calendar = new Calendar();
    calendar.make('a', { for: 'Person', catchUp: 'Skip', when: { type: 'Moment', atMs: startMs + 1 } });
    calendar.nowMs += HOUR_MS;
    calendar.pass();
    expect(calendar.jobs.byId.get('a')).toMatchObject({ status: 'Failed', skipped: 1, fired: 0 });
  });
});
