import { describe, expect } from 'vitest';
import { JobRecords } from '../../../../../test/support/job-records.ts';
import { jobWords } from '../../../../../test/support/job-words.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { OVER_JOBS_KEPT } from './jobs.ts';

const nowMs = Date.UTC(2030, 0, 1);
const told = (kind: string, payload: object) => [{ store: 'job', kind, payload }];
const once = (atMs: number) => ({ job: jobWords({ for: 'Agent', when: { type: 'Moment', atMs } }) });

describe('the jobs of the record', () => {
  verifies('jobs:nothing-forgotten', 'keep what people ended, however many reminders come after it', () => {
    const records = new JobRecords();
    records.created('weekly', { source: 'Manifest', maker: { kind: 'Person' } });
    records.take(told('JobCancelled', { jobId: 'weekly', reason: 'enough', by: 'ann' }));
    records.created('open').take(told('JobFired', { jobId: 'open', momentMs: nowMs, runId: 'run-1' }));
    records.take(told('JobCancelled', { jobId: 'open', reason: 'enough', by: 'ann' }));
    for (let number = 0; number <= OVER_JOBS_KEPT; number += 1)
      records.created(`r-${number}`).take(told('JobOver', { jobId: `r-${number}`, status: 'Done', reason: 'told' }));
    expect(records.jobs.byId.get('weekly')?.status).toBe('Cancelled');
    expect(records.jobs.byId.get('open')?.open?.runId).toBe('run-1');
    expect(records.jobs.over.size).toBeLessThanOrEqual(OVER_JOBS_KEPT);
  });

  verifies('jobs:nothing-ends-it', 'keep a job that its own run puts off', () => {
    const records = new JobRecords().created('later', once(nowMs));
    records.take(told('JobFired', { jobId: 'later', momentMs: nowMs, runId: 'run-1' }));
    const put = { ...once(nowMs + 3_600_000), label: records.jobs.byId.get('later')?.label };
    records.take(told('JobChanged', { jobId: 'later', ...put }));
    records.take(told('JobEnded', { jobId: 'later', momentMs: nowMs, runId: 'run-1', outcome: 'Succeeded' }));
    expect(records.jobs.byId.get('later')).toMatchObject({ status: 'Active', servedMs: nowMs + 3_600_000 - 1 });
  });
});
