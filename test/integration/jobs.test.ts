/** A day with a calendar, as a user would try it: in processes that end, on clocks that jump. */
import { describe, expect } from 'vitest';
import { inTemporaryDirectory, task } from '../support/agents.ts';
import { JobLife, SetClock } from '../support/job-life.ts';
import { OF_PERSON } from '../support/job-words.ts';
import { verifies } from '../verifies.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe('a reminder', () => {
  verifies('jobs:reminder-once', 'of a process that ended comes once, in the next one', () =>
    inTemporaryDirectory(async (directory) => {
      const clock = new SetClock();
      const first = await JobLife.begin({ directory, clock });
      await first.make('call-ben', {
        when: { type: 'Moment', atMs: clock.nowMs() + 2 * MINUTE_MS },
        words: 'Call Ben.',
      });
      await first.end();
      expect(first.all('JobFired')).toEqual([]);
      clock.aheadMs = 3 * MINUTE_MS;
      const second = await JobLife.begin({ directory, clock });
      await second.until('JobEnded');
      expect(second.delivered()).toEqual(['Call Ben.']);
      await second.end();
      const third = await JobLife.begin({ directory, clock });
      await third.end();
      expect(third.all('JobFired')).toEqual([]);
      expect(third.job('call-ben')?.status).toBe('Done');
      expect(third.delivered()).toEqual(['Call Ben.']);
    }),
  );
});

describe('work of a job', () => {
  verifies('jobs:run', 'is a run that the job notes the end of', () =>
    inTemporaryDirectory(async (directory) => {
      const life = await JobLife.begin({ directory });
      await life.make('tidy', { for: 'Agent', when: { type: 'Moment', atMs: Date.now() + 100 } });
      await life.until('RunClosed');
      expect(life.all('JobEnded')).toMatchObject([{ jobId: 'tidy', outcome: 'Succeeded' }]);
      expect(life.all('RunAdmitted')).toMatchObject([{ spec: { cause: { kind: 'Job', jobId: 'tidy' } } }]);
      expect(life.delivered()).toHaveLength(1);
      const judged = life.all('GateDecided').filter(({ gate }) => gate === 'Input');
      // Its words once, as work of its own; the executor's input is another text.
      expect(judged.map(({ record }) => record)).toMatchObject([
        { agent: 'perceiver', autonomous: true },
        { agent: 'executor', autonomous: true },
      ]);
      await life.end();
    }),
  );

  verifies('jobs:missed', 'of moments that a sleeping machine missed follows catchUp, and each is told', () =>
    inTemporaryDirectory(async (directory) => {
      const clock = new SetClock();
      const when = { type: 'Cron', cron: '@hourly', timeZone: 'UTC' } as const;
      const life = await JobLife.begin({ directory, clock });
      for (const catchUp of ['Skip', 'Once', 'All'] as const)
        await life.make(catchUp.toLowerCase(), { kind: 'Recurring', for: 'Person', when, catchUp });
      // Half an hour after the third of the moments.
      const untilNextMs = HOUR_MS - (clock.nowMs() % HOUR_MS);
      clock.aheadMs = untilNextMs + 2.5 * HOUR_MS;
      await life.until('JobEnded', 4);
      await life.end();
      const served = (jobId: string) => life.all('JobFired').filter((it) => it['jobId'] === jobId).length;
      expect([served('skip'), served('once'), served('all')]).toEqual([0, 1, 3]);
      expect(life.all('JobSkipped')).toMatchObject(
        expect.arrayContaining([
          expect.objectContaining({ jobId: 'skip', count: 3 }),
          expect.objectContaining({ jobId: 'once', count: 2 }),
        ]) as never,
      );
    }),
  );
});

describe('a firing', () => {
  verifies('jobs:one-faulty', 'has a run whatever its job is called, and one that cannot begin fails alone', () =>
    inTemporaryDirectory(async (directory) => {
      const life = await JobLife.begin({ directory });
      const when = { type: 'Moment', atMs: Date.now() + 100 } as const;
      // A hyphen stands where names are cut.
      await life.make('check-the-nightly-backups-of-the-server-room', { for: 'Agent', when });
      await life.make('too-long', { for: 'Agent', when, words: 'x'.repeat(9_000) });
      await life.make('after', { for: 'Person', when: { type: 'Moment', atMs: Date.now() + 500 } });
      await life.until('JobEnded', 3);
      await life.settled();
      const outcomes = ['check-the-nightly-backups-of-the-server-room', 'too-long', 'after'].map(
        (jobId) => life.job(jobId)?.last?.outcome,
      );
      expect(outcomes).toEqual(['Succeeded', 'Failed', 'Delivered']);
      await life.end();
    }),
  );

  verifies(
    'jobs:person-words',
    'comes each time that a person wants the schedule of a Task, also twice in a minute',
    () =>
      inTemporaryDirectory(async (directory) => {
        const life = await JobLife.begin({ directory });
        const jobId = await life.agent.schedule(task('tidy', 'Look around.', { schedule: { cron: '@yearly' } }));
        for (const number of [1, 2]) {
          await life.say(`wanted-${number}`, { type: 'RunJobNow', jobId, reason: 'now', by: 'ann' });
          await life.until('JobEnded', number);
          await life.settled();
        }
        expect(life.all('JobEnded').map(({ outcome }) => outcome)).toEqual(['Succeeded', 'Succeeded']);
        await life.end();
      }),
  );
});

describe('the schedule of a Task without a cluster', () => {
  verifies('jobs:local-schedule', 'makes its Tasks, one for each moment', () =>
    inTemporaryDirectory(async (directory) => {
      const clock = new SetClock();
      const life = await JobLife.begin({ directory, clock });
      const daily = task('tidy', 'Look through the workspace.', { schedule: { cron: '@hourly' } });
      const jobId = await life.agent.schedule(daily);
      expect(await life.agent.schedule(daily)).toBe(jobId);
      clock.aheadMs = HOUR_MS;
      await life.until('JobEnded');
      await life.end();
      expect(life.all('JobCreated')).toHaveLength(1);
      expect(life.all('RunAdmitted')).toMatchObject([{ spec: { cause: { kind: 'Task', scheduled: { run: 1 } } } }]);
    }),
  );
});

describe('work that is overdue', () => {
  for (const enabled of [false, true])
    verifies(
      'jobs:follow-up',
      `opens ${enabled ? 'a' : 'no'} follow-up, the forecaster being ${enabled ? 'on' : 'off'}`,
      () =>
        inTemporaryDirectory(async (directory) => {
          const life = await JobLife.begin({ directory, spec: { upkeep: { forecaster: { enabled } } } });
          const payload = {
            ...{ itemId: 'item-1', origin: 'Agent', title: 'The prices', description: 'Compare two shops.' },
            ...{
              steps: [{ description: 'Look.' }],
              dependsOn: [],
              deadlineMs: Date.now() - MINUTE_MS,
              label: OF_PERSON,
            },
          };
          await life.agent.runtime.partsFor('Tools').write([{ store: 'work', kind: 'ItemCreated', payload }]);
          // The scheduler looks for follow-ups before it serves what is due.
          await life.make('call-ben', { when: { type: 'Moment', atMs: Date.now() } });
          await life.until('JobEnded', enabled ? 2 : 1);
          const because = life.all('JobCreated').flatMap((it) => (it['source'] === 'FollowUp' ? [it['because']] : []));
          expect(because).toEqual(enabled ? [['item-1']] : []);
          await life.end();
        }),
    );
});
