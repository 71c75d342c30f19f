/** What `explain` and `audit map` tell of a run that a job made, on a record that was written by hand. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { AccountRow } from '@retainer/mind/explain/audit/account-row';
import type { RunSpec } from '@retainer/mind/run/event';
import { jobOfPeople } from '../support/job-words.ts';
import { jobRecord, WEB_WORDS, writeRecords } from '../support/recorded-jobs.ts';
import { ran } from '../support/recorded-runs.ts';
import { retainerHere } from '../support/retainer-here.ts';
import { runSpec } from '../support/runs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const MADE = Date.parse('2030-03-01T09:00Z');
const MOMENT = Date.parse('2030-03-04T02:00Z');

const ofJob = (runId: string, jobId: string): RunSpec =>
  runSpec({
    ...{ runId, task: { namespace: 'default', name: `job-${jobId}` }, conversation: `job/${jobId}`, label: WEB_WORDS },
    cause: { kind: 'Job', jobId, momentMs: MOMENT, maker: 'Agent' },
    replyTo: { channel: 'Notice', target: 'default/ada' },
  });

const when = { type: 'Cron', cron: '0 8 * * *', timeZone: 'Europe/Berlin' } as const;
const made = { reason: 'three runs failed so', because: ['r-1', 'r-2'], source: 'FollowUp' as const, label: WEB_WORDS };

const root = temporaryDirectory();
const data = join(root.path, 'data');
beforeAll(async () => {
  mkdirSync(data);
  await writeRecords(data, [
    ...ran(runSpec({ runId: 'ask-run', task: { namespace: 'default', name: 'tidy' } })),
    jobRecord(
      MADE,
      'JobCreated',
      jobOfPeople('look', { when }, { ...made, maker: { kind: 'Agent', runId: 'ask-run' } }),
    ),
    jobRecord(MADE, 'JobCreated', jobOfPeople('lost', {}, { ...made, maker: { kind: 'Agent', runId: 'gone-run' } })),
    jobRecord(MOMENT, 'JobFired', { jobId: 'look', momentMs: MOMENT, runId: 'look-1' }),
    ...ran(ofJob('look-1', 'look')),
    jobRecord(MOMENT, 'JobEnded', { jobId: 'look', momentMs: MOMENT, runId: 'look-1', outcome: 'Failed', why: 'x' }),
    ...ran(ofJob('lost-1', 'lost')),
    ...ran(ofJob('ghost-1', 'ghost')),
    // Another job of the same id, made by people later: the run above is not its own.
    jobRecord(MOMENT + 1, 'JobCreated', jobOfPeople('look')),
  ]);
});
afterAll(() => root.remove());

describe('explain', () => {
  verifies('cli-jobs:explained', 'names job, moment, maker and label of a run that a job made', async () => {
    const { code, text } = await retainerHere('explain', 'look-1', '--data', data);
    expect(code).toBe(0);
    const lines = text.split('\n');
    expect(lines[0]).toBe('Run look-1: job look, for its moment 2030-03-04 02:00:00 UTC');
    for (const line of [
      expect.stringMatching(
        /^job look \(Recurring\): made by the agent in run ask-run, for a reason that code found, 2030-03-01 09:00 UTC \(job\/1\)$/,
      ),
      'because three runs failed so',
      'records that led to it: r-1, r-2',
      'its moment: 2030-03-04 03:00 Europe/Berlin (02:00 UTC)',
      'its words: untrusted, words of the web (example.org), for the owner',
    ])
      expect(lines).toContainEqual(line);
    expect(text).toContain('admitted for the job look');
    expect(text).toContain('began by the job look, for its moment 2030-03-04 02:00 UTC');
    expect(text).toContain('the job look notes Failed: x');
    const { text: json } = await retainerHere('explain', 'job-look', '--data', data, '-o', 'json');
    expect(JSON.parse(json)).toMatchObject({
      cause: { kind: 'Job', jobId: 'look', momentMs: MOMENT },
      job: { source: 'FollowUp', maker: { kind: 'Agent', runId: 'ask-run' }, seq: 1 },
    });
  });

  verifies(
    'cli-jobs:explained',
    'says so where the record does not have the job, and tells Tasks as before',
    async () => {
      const { text } = await retainerHere('explain', 'ghost-1', '--data', data);
      expect(text).toContain('\nthe record does not have this job: nobody knows who made it\n');
      expect((await retainerHere('explain', 'ask-run', '--data', data)).text).toMatch(
        /^Run ask-run: Task default\/tidy\n/,
      );
      expect((await retainerHere('cost', 'look-1', '--data', data)).text).toMatch(/^Run look-1: job look\n/);
    },
  );
});

describe('audit map', () => {
  const mapOf = async (...run: readonly string[]) => {
    const { code, text } = await retainerHere('audit', 'map', ...run, '--data', data, '-o', 'json');
    return { code, ...(JSON.parse(text) as { readonly rows: readonly AccountRow[]; readonly findings: unknown }) };
  };

  verifies('cli-jobs:accountable', 'leads from an effect to its job, its maker and whom that worked for', async () => {
    for (const rows of [(await mapOf()).rows, (await mapOf('look-1')).rows])
      expect(rows.find(({ id }) => id === 'look-1-d1')).toMatchObject({
        what: 'Notice of default/ada',
        missing: [],
        wanted: {
          job: {
            ...{ jobId: 'look', momentMs: MOMENT },
            maker: { kind: 'Agent', runId: 'ask-run', source: 'FollowUp', seq: 1 },
            madeFor: { runId: 'ask-run', task: 'default/tidy', principal: 'agent' },
          },
        },
      });
    const { text } = await retainerHere('audit', 'map', 'look-1', '--data', data);
    expect(text).toContain(
      'Run look-1: job look, for 2030-03-04 02:00 UTC, made by the agent as a follow-up (job/1), in run ask-run of Task default/tidy\n',
    );
    expect(text).toMatch(/ the job +/);
  });

  verifies(
    'cli-jobs:accountable',
    'finds effects of jobs that nobody made, and of jobs that a lost run made',
    async () => {
      const { code, findings } = await mapOf();
      expect(code).toBe(5);
      expect(findings).toMatchObject([
        {
          id: 'lost-1-d1',
          missing: [{ why: 'the admission of run gone-run, in which job lost was made, is not in the record' }],
        },
        {
          id: 'ghost-1-d1',
          missing: [{ why: 'the record does not have the job ghost, so nobody knows who made it' }],
        },
      ]);
    },
  );
});
