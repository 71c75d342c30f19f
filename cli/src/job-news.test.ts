import type { NewRecord } from '@retainer/journal/journal';
import { describe, expect } from 'vitest';
import { jobOfPeople } from '../../test/support/job-words.ts';
import { jobRecord } from '../../test/support/recorded-jobs.ts';
import { verifies } from '../../test/verifies.ts';
import { JobNews, nextLine, noticeLines, type JobTold } from './job-news.ts';

const at = (text: string): number => Date.parse(`${text}Z`);
const MADE = at('2030-03-01T09:00');
const NOON = at('2030-03-01T12:00');

/** What each record brings. */
function told(news: JobNews, records: readonly NewRecord[]): readonly JobTold[] {
  return records.map((record, seq) =>
    news.take({ timeMs: MADE, ...record, seq, order: seq, version: 1, epoch: 1, prev: '', hash: '' }),
  );
}

const made = (jobId: string, cron: string, more: object = {}) =>
  jobRecord(
    MADE,
    'JobCreated',
    jobOfPeople(jobId, { when: { type: 'Cron', cron, timeZone: 'Europe/Berlin' }, ...more }),
  );
const reminder = jobRecord(
  MADE,
  'JobCreated',
  jobOfPeople('milk', { kind: 'Reminder', for: 'Person', words: 'Buy\nmilk.', when: { type: 'Moment', atMs: NOON } }),
);

describe('what is next', () => {
  const line = (news: JobNews, nowMs: number, isEnabled = true): string | undefined => {
    const next = news.next(isEnabled);
    return next === undefined ? undefined : nextLine(next, nowMs);
  };

  verifies('cli-jobs:at-work', 'is the first moment of all jobs, in its zone and in UTC, and what it waits for', () => {
    const news = new JobNews();
    expect(line(news, MADE)).toBeUndefined();
    told(news, [made('late', '0 23 * * *'), made('early', '0 20 * * *')]);
    expect(line(news, MADE)).toBe('next early at 2030-03-01 20:00 Europe/Berlin (19:00 UTC), in 10 h 00 min');
    told(news, [
      jobRecord(at('2030-03-01T19:00'), 'JobDeferred', {
        ...{ jobId: 'early', momentMs: at('2030-03-01T19:00'), why: 'InUse', untilMs: at('2030-03-01T19:10') },
      }),
    ]);
    expect(line(news, at('2030-03-01T19:01'))).toBe(
      'next early at 2030-03-01 20:00 Europe/Berlin (19:00 UTC); it waits because somebody works with the agent, until 2030-03-01 19:10 UTC',
    );
    told(news, [jobRecord(MADE, 'JobPaused', { jobId: 'early', reason: 'x', by: 'ann', originId: 'o' })]);
    expect(line(news, MADE)).toBe('next late at 2030-03-01 23:00 Europe/Berlin (22:00 UTC), in 13 h 00 min');
  });

  verifies('cli-jobs:at-work', 'is no work of an agent that begins none by itself', () => {
    const news = new JobNews();
    told(news, [made('early', '0 11 * * *'), reminder]);
    expect(line(news, MADE, true)).toMatch(/^next early at /);
    expect(line(news, MADE, false)).toMatch(/^next milk at 2030-03-01 12:00 UTC, in 3 h 00 min$/);
  });
});

describe('what reaches a person', () => {
  verifies('cli-jobs:at-work', 'are the words of a reminder, as the record has them', () => {
    const fired = { jobId: 'milk', momentMs: NOON };
    const [, , brought] = told(new JobNews(), [
      reminder,
      jobRecord(NOON, 'JobFired', fired),
      jobRecord(NOON, 'JobEnded', { ...fired, outcome: 'Delivered' }),
    ]);
    expect(brought?.notice).toEqual({ ...fired, outcome: 'Reminder', words: 'Buy\nmilk.' });
    expect(noticeLines(brought?.notice ?? { ...fired, outcome: '', words: '' }).map(({ text }) => text)).toEqual([
      '',
      'REMINDER  job milk, for 2030-03-01 12:00 UTC',
      '  Buy',
      '  milk.',
    ]);
  });

  verifies(
    'cli-jobs:at-work',
    'is the result of a run once it is delivered, though its job has ended, and no run of a Task',
    () => {
      const run = (kind: string, runId: string, payload: object): NewRecord => ({
        ...{ store: 'run', kind, principal: 'agent', runId, payload: payload as never },
      });
      const body = { outcome: 'Succeeded', summary: 'All is well.' };
      const news = new JobNews();
      const brought = told(news, [
        made('daily', '0 12 * * *'),
        jobRecord(NOON, 'JobFired', { jobId: 'daily', momentMs: NOON, runId: 'r' }),
        run('DeliveryRequested', 'other', { body }),
        run('Delivered', 'other', {}),
        run('DeliveryRequested', 'r', { body }),
        jobRecord(NOON, 'JobEnded', { jobId: 'daily', momentMs: NOON, runId: 'r', outcome: 'Succeeded' }),
        run('Delivered', 'r', {}),
      ]);
      expect(brought.flatMap(({ notice }) => notice ?? [])).toEqual([
        { jobId: 'daily', momentMs: NOON, runId: 'r', outcome: 'Succeeded', words: 'All is well.' },
      ]);
      expect([news.isOfJob('r'), news.isOfJob('other')]).toEqual([true, false]);
      expect(news.open()).toEqual([]);
    },
  );
});

verifies('cli-jobs:at-work', 'a skip, a wait and a word are told in a line that steers no terminal', () => {
  const notes = told(new JobNews(), [
    made('daily', '0 12 * * *'),
    jobRecord(NOON, 'JobSkipped', { jobId: 'daily', why: 'StillRunning', count: 1, firstMs: NOON, lastMs: NOON }),
    jobRecord(NOON, 'JobDeferred', { jobId: 'daily', momentMs: NOON, why: 'NoCycles' }),
    jobRecord(NOON, 'JobPaused', { jobId: 'daily', reason: 'no\u001B[2J\nnext', by: 'ann', originId: 'o' }),
    jobRecord(NOON, 'JobResumed', { jobId: 'daily', reason: 'yes', originId: 'p' }),
    jobRecord(NOON, 'JobOver', { jobId: 'daily', status: 'Done', reason: 'it has no moment left' }),
  ]).flatMap(({ note }) => note?.text ?? []);
  expect(notes).toEqual([
    'job daily: 1 moment skipped, 2030-03-01 12:00 UTC: the run before was still under way',
    'job daily waits: spec.scheduler.cyclesPerHour is 0',
    String.raw`job daily was paused by ann: no\u{1b}[2J\u{a}next`,
    'job daily was resumed: yes',
    'job daily is over (Done): it has no moment left',
  ]);
});
