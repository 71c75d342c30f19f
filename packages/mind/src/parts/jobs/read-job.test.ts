import { describe, expect } from 'vitest';
import { NOW_MS } from '../../../../../test/support/job-records.ts';
import { jobDefinition } from '../../../../../test/support/job-words.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { faultText } from './job-fault.ts';
import { JOB_WORDS_MAX, type JobDefinition } from './job.ts';
import { readJob, type GivenJob, type JobsAround } from './read-job.ts';

const around: JobsAround = {
  nowMs: NOW_MS,
  timeZone: 'Europe/Berlin',
  lasting: [{ job: jobDefinition('tea') }],
  maxJobs: 5,
  tools: ['fetch_url', 'memory_read'],
};

const weekly: GivenJob = {
  kind: 'Recurring',
  for: 'Agent',
  name: 'weekly',
  words: 'Write the report.',
  cron: '0 8 * * 1',
  catchUp: 'Once',
};
const reminder: GivenJob = { ...weekly, kind: 'Reminder', for: 'Person', cron: undefined, at: '2026-12-01T08:00' };
const appointment: GivenJob = { ...reminder, kind: 'Appointment', duration: '45m' };
const todo: GivenJob = { ...reminder, kind: 'Todo', at: undefined };

function given(what: GivenJob, more: Partial<JobsAround> = {}): JobDefinition {
  const read = readJob(what, { ...around, ...more });
  if (!read.ok) throw new Error(faultText(read.error));
  return read.value;
}

describe('a job that is one', () => {
  verifies('jobs:moment-text', 'has its local time in the zone that it names, else in that of the scheduler', () => {
    expect(given(reminder).when).toEqual({ type: 'Moment', atMs: Date.UTC(2026, 11, 1, 7) });
    const inNewYork = given({ ...reminder, timeZone: 'America/New_York' });
    expect(inNewYork.when).toEqual({ type: 'Moment', atMs: Date.UTC(2026, 11, 1, 13) });
    expect(given(weekly).when).toEqual({ type: 'Cron', cron: '0 8 * * 1', timeZone: 'Europe/Berlin' });
  });

  verifies('jobs:moment-text', 'may begin in so long from now', () => {
    for (const [text, spanMs] of [
      ['2m', 120_000],
      ['1h30m', 5_400_000],
    ] as const)
      expect(given({ ...reminder, at: undefined, in: text }).when).toEqual({ type: 'Moment', atMs: NOW_MS + spanMs });
  });

  verifies('jobs:bad-input', 'passes: limits, a list without a time, an appointment, tools by pattern', () => {
    const limited = given({ ...weekly, until: '2027-01-31T00:00Z', runsMax: 3, requiredTools: ['memory_*'] });
    expect(limited.when).toMatchObject({ untilMs: Date.UTC(2027, 0, 31), runsMax: 3 });
    expect(given(todo).when).toEqual({ type: 'Open' });
    expect(given({ ...todo, at: '2026-12-01T08:00Z' }).when).toMatchObject({ dueAtMs: Date.UTC(2026, 11, 1, 8) });
    expect(given(appointment)).toMatchObject({ durationMs: 2_700_000 });
  });
});

describe('a job that is none', () => {
  const rows: readonly (readonly [string, GivenJob, string, string, Partial<JobsAround>?])[] = [
    ['a past moment', { ...reminder, at: '2026-11-29T11:59Z' }, 'at', 'has passed'],
    ['the moment that is now', { ...reminder, at: '2026-11-29T12:00Z' }, 'at', 'has passed'],
    ['no date', { ...reminder, at: 'tomorrow at eight' }, 'at', 'no date'],
    ['a day that its month lacks', { ...reminder, at: '2027-02-29T08:00' }, 'at', 'does not have'],
    ['no moment at all', { ...reminder, at: undefined }, 'at', 'missing'],
    ['a span that is none', { ...reminder, at: undefined, in: 'soon' }, 'in', 'no span'],
    ['a span of nothing', { ...reminder, at: undefined, in: '0s' }, 'in', 'no span'],
    ['two times', { ...reminder, in: '2m' }, 'in', 'another field'],
    ['a zone that does not exist', { ...weekly, timeZone: 'Middle/Earth' }, 'timeZone', 'no time zone'],
    ['a zone of another alphabet', { ...weekly, timeZone: 'Europe/Berlin; DROP' }, 'timeZone', 'no time zone'],
    ['a cron text that is none', { ...weekly, cron: 'each morning' }, 'cron', 'cannot be read'],
    ['an hour that there is not', { ...weekly, cron: '0 25 * * *' }, 'cron', 'cannot be read'],
    ['a moment in place of a cron text', { ...weekly, cron: '2026-12-01T08:00:00' }, 'cron', 'cannot be read'],
    ['a start of the machine', { ...weekly, cron: '@reboot' }, 'cron', 'cannot be read'],
    ['seconds', { ...weekly, cron: '*/1 * * * * *' }, 'cron', 'no seconds'],
    ['no moment ever', { ...weekly, cron: '0 0 31 2 *' }, 'cron', 'no moment'],
    ['a recurring job without a cron text', { ...weekly, cron: undefined }, 'cron', 'missing'],
    ['a recurring job at one moment', { ...weekly, cron: undefined, at: '2026-12-01T08:00' }, 'at', 'one moment'],
    ['a reminder that recurs', { ...reminder, at: undefined, cron: '0 8 * * *' }, 'cron', 'recurring'],
    ['an end before the first moment', { ...weekly, until: '2026-11-29T13:00Z' }, 'until', 'before the first'],
    ['an end that is no date', { ...weekly, until: 'spring' }, 'until', 'no date'],
    ['an end of one moment', { ...reminder, until: '2027-01-01T00:00Z' }, 'until', 'recurring'],
    ['no run at all', { ...weekly, runsMax: 0 }, 'runsMax', 'no number of runs'],
    ['half a run', { ...weekly, runsMax: 1.5 }, 'runsMax', 'no number of runs'],
    ['a name with a space', { ...weekly, name: 'Weekly report' }, 'name', 'no name'],
    ['a name that is too long', { ...weekly, name: 'x'.repeat(64) }, 'name', 'no name'],
    ['a name that a job has', { ...weekly, name: 'tea' }, 'name', 'there is such a job'],
    ['no words', { ...weekly, words: ' \n' }, 'words', 'empty'],
    ['too many words', { ...weekly, words: 'x'.repeat(JOB_WORDS_MAX + 1) }, 'words', '8193 characters'],
    ['too many tags', { ...weekly, tags: Array.from({ length: 17 }, String) }, 'tags', '17 entries'],
    ['an empty tag', { ...weekly, tags: [''] }, 'tags', 'no tag'],
    ['too many tools', { ...weekly, requiredTools: Array.from({ length: 17 }, String) }, 'requiredTools', '17'],
    ['a tool that it lacks', { ...weekly, requiredTools: ['send_mail'] }, 'requiredTools', 'send_mail'],
    ['a tool for words to a person', { ...reminder, requiredTools: ['fetch_url'] }, 'requiredTools', 'person'],
    ['an appointment without duration', { ...appointment, duration: undefined }, 'duration', 'missing'],
    ['an appointment of no time', { ...appointment, duration: '0m' }, 'duration', 'no span'],
    ['a reminder that lasts', { ...reminder, duration: '1h' }, 'duration', 'appointment'],
    ['one too many', weekly, 'spec.scheduler.maxJobs', 'allows 1 jobs', { maxJobs: 1 }],
    ['work of its own, where it begins none', weekly, 'for', 'no work', { isEnabled: false }],
  ];
  for (const [name, what, field, why, more = {}] of rows)
    verifies('jobs:bad-input', `has ${name}: one sentence names ${field}`, () => {
      const read = readJob(what, { ...around, ...more });
      if (read.ok) throw new Error('it passed');
      expect(read.error.field).toBe(field);
      const told = faultText(read.error);
      expect(told).toContain(why);
      expect(told).toMatch(/^\S+ [^\n]+: [^\n]+\.$/);
    });
});
