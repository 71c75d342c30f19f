import { AgentScheduler } from '@retainer/contract/api/agent-limits';
import { describe, expect, it } from 'vitest';
import { JobRecords } from '../../../../../test/support/job-records.ts';
import { jobDefinition } from '../../../../../test/support/job-words.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { nameOfWords, newJobId } from './job-names.ts';
import { lastingJobs } from './jobs.ts';
import { manifestChanges, manifestLabel } from './manifest-jobs.ts';

const scheduler = (...jobs: readonly object[]): AgentScheduler =>
  AgentScheduler.parse({ timeZone: 'Europe/Berlin', jobs });
const weekly = { name: 'weekly', cron: '0 8 * * 1', intent: 'Write the report.' };
const daily = { name: 'daily', cron: '0 8 * * *', timeZone: 'UTC', intent: 'Look at the logs.', onlyIfChanged: true };

function changed(records: JobRecords, manifest: AgentScheduler): readonly string[] {
  const { records: changes } = manifestChanges(records.jobs, manifest, { nowMs: records.nowMs });
  records.take(changes);
  return changes.map(({ kind, payload }) => `${kind} ${(payload as { readonly jobId: string }).jobId}`);
}

const named = (records: JobRecords): readonly string[] => lastingJobs(records.jobs).map(({ jobId }) => jobId);

describe('the jobs of the manifest', () => {
  verifies('jobs:manifest', 'are made once, changed where they differ, and cancelled where they are gone', () => {
    const records = new JobRecords();
    expect(changed(records, scheduler(weekly, daily))).toEqual(['JobCreated weekly', 'JobCreated daily']);
    expect(records.jobs.byId.get('weekly')).toMatchObject({
      ...{ source: 'Manifest', maker: { kind: 'Person' }, label: manifestLabel },
      job: { when: { type: 'Cron', cron: '0 8 * * 1', timeZone: 'Europe/Berlin' } },
    });
    expect(changed(records, scheduler(weekly, daily))).toEqual([]);
    expect(changed(records, scheduler({ ...weekly, intent: 'Write it.' }, daily))).toEqual(['JobChanged weekly']);
    expect(changed(records, scheduler(daily))).toEqual(['JobCancelled weekly']);
    expect(records.jobs.byId.get('weekly')?.statusReason).toContain('spec.scheduler.jobs');
    expect(changed(records, scheduler(daily))).toEqual([]);
    expect(changed(records, scheduler(weekly, daily))).toEqual(['JobCreated weekly']);
    expect(named(records)).toEqual(['daily', 'weekly']);
  });

  verifies('jobs:manifest', 'stay paused or cancelled when a person said so, until the manifest has another', () => {
    const records = new JobRecords();
    changed(records, scheduler(weekly, daily));
    const word = { reason: 'holidays', by: 'ada' };
    records.take([
      { store: 'job', kind: 'JobPaused', payload: { jobId: 'daily', ...word } },
      { store: 'job', kind: 'JobCancelled', payload: { jobId: 'weekly', ...word } },
    ]);
    expect(changed(records, scheduler(weekly, daily))).toEqual([]);
    const other = { ...weekly, cron: '0 9 * * 1' };
    expect(changed(records, scheduler(other, { ...daily, intent: 'Look.' }))).toEqual([
      'JobCreated weekly',
      'JobChanged daily',
    ]);
    expect(records.jobs.byId.get('daily')?.status).toBe('Paused');
  });

  verifies('jobs:bad-input', 'leave the others alone where one is none, and its fault names its field there', () => {
    const records = new JobRecords();
    changed(records, scheduler(weekly));
    const never = { ...weekly, cron: '0 0 31 2 *' };
    const { records: changes, faults } = manifestChanges(records.jobs, scheduler(never, daily), {
      nowMs: records.nowMs,
      tools: ['memory_read'],
    });
    expect(changes.map(({ kind }) => kind)).toEqual(['JobCreated']);
    expect(faults.map(({ field }) => field)).toEqual(['spec.scheduler.jobs[weekly].cron']);
    const lost = AgentScheduler.parse({ timeZone: 'Middle/Earth', jobs: [weekly] });
    expect(manifestChanges(records.jobs, lost, records).faults[0]?.field).toBe('spec.scheduler.timeZone');
    expect(named(records)).toEqual(['weekly']);
  });

  verifies('jobs:manifest', 'have another id where a job of the agent has their name', () => {
    const records = new JobRecords().created('weekly');
    expect(changed(records, scheduler(weekly))).toEqual(['JobCreated weekly-2']);
    expect(changed(records, scheduler(weekly))).toEqual([]);
  });
});

describe('the name and the id of a job', () => {
  verifies('jobs:ids', 'of a tool is its kind and a digest: no word of whoever made it', () => {
    const { jobs } = new JobRecords().created('tea');
    const ids = ['c1', 'c2'].map((callId) => newJobId(jobs, { kind: 'Reminder', callId }));
    for (const id of ids) expect(id).toMatch(/^reminder-[0-9a-f]{8}$/);
    expect(new Set(ids).size).toBe(2);
  });

  it.each([
    ['Call Ada about the tea, please!', 'call-ada-about-the-tea-please'],
    ['Über Köln fahren', 'uber-koln-fahren'],
    ['お茶', 'job'],
    [`${'x'.repeat(39)} y`, 'x'.repeat(39)],
  ])('makes a name of %s', (words, name) => expect(nameOfWords(words, [])).toBe(name));

  it('gives no name twice', () => {
    expect(nameOfWords('Tea', [{ job: jobDefinition('tea') }, { job: jobDefinition('tea-2') }])).toBe('tea-3');
  });
});
