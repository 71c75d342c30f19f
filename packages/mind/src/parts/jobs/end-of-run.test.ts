import { describe, expect } from 'vitest';
import { JobRecords } from '../../../../../test/support/job-records.ts';
import { jobWords, OF_PERSON } from '../../../../../test/support/job-words.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { commandsOfParts } from '../derived.ts';
import { endOfRun } from './end-of-run.ts';
import type { JobDefinition } from './job.ts';
import type { Jobs } from './jobs.ts';
import { resultDigest } from './result-digest.ts';

const nowMs = Date.UTC(2030, 0, 1);
const daily = { type: 'Cron', cron: '@daily', timeZone: 'UTC' } as const;

class Told {
  readonly #records = new JobRecords();

  get jobs(): Jobs {
    return this.#records.jobs;
  }

  take(kind: string, payload: object): this {
    this.#records.nowMs = nowMs;
    this.#records.take([{ store: 'job', kind, payload }]);
    return this;
  }

  make(job: Partial<JobDefinition> = {}, source = 'Tool'): this {
    const definition = jobWords({ kind: 'Recurring', for: 'Agent', when: daily, name: 'daily', ...job });
    const maker = { kind: 'Person' };
    return this.take('JobCreated', { jobId: 'daily', job: definition, source, maker, label: OF_PERSON });
  }

  fire(): this {
    return this.take('JobFired', { jobId: 'daily', momentMs: nowMs, runId: 'run-1' });
  }

  ended(summary: string, calls: readonly { readonly tool: string; readonly isOk: boolean }[] = []) {
    const end = { runId: 'run-1', outcome: 'Accepted', summary, calls, cycleIds: [], tokens: 0 };
    return endOfRun(this.jobs, end).map(({ payload }) => payload as Readonly<Record<string, unknown>>);
  }
}

describe('the end of the run of a job', () => {
  const called = (...tools: readonly string[]) => tools.map((tool) => ({ tool, isOk: true }));
  const rows = [
    ['every tool', called('list_files', 'write_file'), undefined],
    ['one by its pattern', called('list_files', 'write_note'), undefined],
    ['not all', called('list_files'), 'its run did not call write_* with success'],
    [
      'one without success',
      [...called('list_files'), { tool: 'write_file', isOk: false }],
      'its run did not call write_*',
    ],
  ] as const;
  for (const [what, calls, why] of rows)
    verifies('jobs:required-tools', `that called ${what} of what the job demands`, () => {
      const told = new Told().make({ requiredTools: ['list_files', 'write_*'] }).fire();
      const [end] = told.ended('done', calls);
      expect(end?.['outcome']).toBe(why === undefined ? 'Accepted' : 'Failed');
      expect(end?.['why'] ?? '').toContain(why ?? '');
    });

  verifies('jobs:run', 'comes once: the same end again finds no firing, and neither does a run of no job', () => {
    const told = new Told().make().fire();
    const [end] = told.ended('done');
    told.take('JobEnded', { ...end });
    expect(told.ended('done')).toEqual([]);
    expect(
      endOfRun(told.jobs, { runId: 'other', outcome: 'Accepted', summary: '', calls: [], cycleIds: [], tokens: 0 }),
    ).toEqual([]);
  });

  const said = [
    ['the same', 'Nothing  new.\n', true],
    ['the one word', '**Unchanged.**', true],
    ['something else', 'A line is new.', undefined],
  ] as const;
  for (const [what, summary, isUnchanged] of said)
    verifies('cause:only-if-changed', `that says ${what} is noted so`, () => {
      const told = new Told().make({ onlyIfChanged: true }).fire();
      told.take('JobEnded', {
        jobId: 'daily',
        momentMs: nowMs,
        outcome: 'Accepted',
        resultDigest: resultDigest('Nothing new.'),
      });
      expect(told.fire().ended(summary)[0]?.['isUnchanged']).toBe(isUnchanged);
    });
});

describe("a person's word about a job", () => {
  const words = ['PauseJob', 'ResumeJob', 'CancelJob', 'RunJobNow'] as const;
  const decided = (told: Told, type: (typeof words)[number], taken: readonly string[] = []) => {
    const known = { jobs: told.jobs, jobChanges: new Set(taken) };
    const given = { originId: 'spool:1', atMs: nowMs };
    return commandsOfParts[type]?.decide?.(known as never, { jobId: 'daily', reason: 'later', by: 'ann' }, given) ?? [];
  };
  const kindsOf = (told: Told): readonly string[] => words.flatMap((it) => decided(told, it).map(({ kind }) => kind));

  verifies('jobs:person-words', 'holds where the job is as it supposes, and has who and why', () => {
    expect(kindsOf(new Told())).toEqual([]);
    const told = new Told().make();
    expect(kindsOf(told)).toEqual(['JobPaused', 'JobCancelled', 'JobWanted']);
    expect(decided(told, 'PauseJob')).toMatchObject([{ by: 'ann', payload: { reason: 'later', originId: 'spool:1' } }]);
    expect(kindsOf(told.fire())).toEqual(['JobPaused', 'JobCancelled']);
    expect(kindsOf(new Told().make().take('JobPaused', { jobId: 'daily', reason: 'x' }))).toEqual([
      'JobResumed',
      'JobCancelled',
      'JobWanted',
    ]);
    const over = new Told().make().take('JobCancelled', { jobId: 'daily', reason: 'x', by: 'ann' });
    expect(kindsOf(over)).toEqual([]);
  });

  verifies('jobs:person-words', 'closes a follow-up that is over, so that it does not come again', () => {
    const told = new Told().make({}, 'FollowUp').take('JobOver', { jobId: 'daily', status: 'Done', reason: 'x' });
    expect(kindsOf(told)).toEqual(['JobCancelled']);
    told.take('JobCancelled', { jobId: 'daily', reason: 'enough', by: 'ann' });
    expect(told.jobs.byId.get('daily')).toMatchObject({ status: 'Cancelled', statusBy: 'ann' });
    expect(kindsOf(told)).toEqual([]);
  });

  verifies('jobs:person-words', 'counts once, however often it is carried out', () => {
    for (const word of words) expect(decided(new Told().make(), word, ['spool:1'])).toEqual([]);
  });
});
