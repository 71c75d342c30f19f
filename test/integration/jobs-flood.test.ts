/** Row 27 with a calendar: jobs that make jobs, a thousand reminders at one moment, sixty in a minute, and a wall clock that jumps. */
import { describe, expect } from 'vitest';
import { promptTokens } from '@retainer/mind/assemble/request-size';
import { inTemporaryDirectory, task } from '../support/agents.ts';
import { JobLife, SetClock } from '../support/job-life.ts';
import { citingRule, oneStepRule } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Each run of a job makes two more, which are due at once. */
const greedy = String.raw`
version: 1
rules:${oneStepRule}${citingRule}
  - name: two more
    when: {role: executor, turn: 1}
    answer:
      calls:
        - {tool: schedule_reminder, input: {words: Make two more jobs., for: Agent, in: 1s}}
        - {tool: schedule_reminder, input: {words: And two more., for: Agent, in: 1s}}
  - name: done
    when: {role: executor}
    answer: {text: There are more jobs now.}
`;

type Payload = Readonly<Record<string, unknown>>;

const moment = (atMs: number) => ({ type: 'Moment', atMs }) as const;
const idsOf = (records: readonly Payload[]): readonly string[] => records.map(({ jobId }) => String(jobId));
const named = (kind: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, number) => `${kind}-${number}`);

describe('a job that makes jobs', () => {
  verifies('jobs:bounded', 'is bounded by maxJobs, its one slot and cyclesPerHour, and told what it waits for', () =>
    inTemporaryDirectory(async (directory) => {
      const clock = new SetClock();
      const spec = { scheduler: { idleAfter: '0s', maxJobs: 3, cyclesPerHour: 12 } };
      const life = await JobLife.begin({ directory, clock, spec, script: greedy });
      await life.make('seed', { for: 'Agent', when: moment(clock.nowMs()) });
      await life.until('JobDeferred');
      expect(life.all('JobDeferred')).toMatchObject([{ why: 'Budget' }]);
      const untilMs = Number(life.all('JobDeferred')[0]?.['untilMs']);
      expect(untilMs - clock.nowMs()).toBeGreaterThan(HOUR_MS - MINUTE_MS);

      let lasting = 0;
      let running = 0;
      for (const { kind } of life.records) {
        if (kind === 'JobCreated') lasting += 1;
        if (kind === 'JobFired') running += 1;
        if (kind === 'JobEnded') {
          lasting -= 1;
          running -= 1;
        }
        expect(lasting, 'maxJobs').toBeLessThanOrEqual(3);
        expect(running, 'its one slot').toBeLessThanOrEqual(1);
      }
      expect(ownCycles(life)).toBeLessThanOrEqual(12);
      const fired = life.all('JobFired').length;
      expect(fired).toBeGreaterThan(1);
      expect(JSON.stringify(life.all('ToolFinished'))).toContain('spec.scheduler.maxJobs allows 3 jobs');

      // In the next hour it goes on, within the same bounds.
      clock.aheadMs = untilMs - clock.nowMs() + MINUTE_MS;
      await life.until('JobDeferred', 2);
      expect(life.all('JobFired').length).toBeGreaterThan(fired);
      expect(ownCycles(life)).toBeLessThanOrEqual(24);
      await life.end();
    }),
  );

  verifies('jobs:bounded', 'uses no more tokens in an hour than it may, and one call more', () =>
    inTemporaryDirectory(async (directory) => {
      // A job begins only with a tenth of it left, which is more than one call may take.
      const tokensPerHour = 150_000;
      const scheduler = { idleAfter: '0s', cyclesPerHour: 1_000, tokensPerHour };
      const spec = { scheduler, limits: { outputTokensPerCall: 1_000 } };
      const life = await JobLife.begin({ directory, spec, script: greedy });
      await life.make('seed', { for: 'Agent', when: moment(Date.now()) });
      await life.until('JobDeferred');
      expect(life.all('JobDeferred')).toMatchObject([{ why: 'Budget' }]);
      const used = life.all('ModelAnswered').reduce((sum, { answer }) => sum + tokensOf(answer), 0);
      const mostOfCall = Math.max(...life.all('ModelRequested').map(({ request }) => mostOf(request)));
      expect(used).toBeGreaterThan(0);
      expect(used).toBeLessThanOrEqual(tokensPerHour + mostOfCall);
      await life.end();
    }),
  );
});

describe('a thousand reminders at one moment', () => {
  verifies('jobs:bounded', 'come once each, and a Task of that moment does not wait for them', () =>
    inTemporaryDirectory(async (directory) => {
      const life = await JobLife.begin({ directory });
      const jobIds = named('words', 1_000);
      const atMs = Date.now();
      await life.makeAll(jobIds.map((jobId) => ({ jobId, job: { when: moment(atMs), words: jobId } })));
      await life.until('JobFired');
      await life.agent.submitTask(task('look', 'Look at the workspace.'), 'test');
      await life.until('JobEnded', 1_000);
      await life.until('RunClosed');
      const order = life.records.filter(({ kind }) => kind === 'JobEnded' || kind === 'RunAdmitted');
      expect(order.findIndex(({ kind }) => kind === 'RunAdmitted')).toBeLessThan(100);
      expect(idsOf(life.all('JobFired')).toSorted()).toEqual(jobIds.toSorted());
      expect(idsOf(life.all('JobEnded')).toSorted()).toEqual(jobIds.toSorted());
      expect(life.delivered().toSorted()).toEqual(jobIds.toSorted());
      await life.end();
    }),
  );

  verifies('jobs:once', 'end once each, also where work of people begins between them', () =>
    inTemporaryDirectory(async (directory) => {
      const life = await JobLife.begin({ directory });
      const work = named('work', 8);
      const words = named('words', 80);
      const atMs = Date.now();
      const maker = { kind: 'Person' } as const;
      await life.makeAll([
        ...work.map((jobId) => ({ jobId, job: { for: 'Agent' as const, when: moment(atMs) }, maker })),
        ...words.map((jobId) => ({ jobId, job: { when: moment(atMs) }, maker })),
      ]);
      await life.settled();
      expect(idsOf(life.all('JobEnded')).toSorted()).toEqual([...work, ...words].toSorted());
      expect(life.all('RunAdmitted')).toHaveLength(work.length);
      await life.end();
    }),
  );
});

describe('a reminder each second', () => {
  verifies('jobs:bounded', 'or faster: sixty within three seconds come each for its moment, in their order', () =>
    inTemporaryDirectory(async (directory) => {
      const life = await JobLife.begin({ directory });
      const firstMs = Date.now() + SECOND_MS;
      const made = named('tick', 60).map((jobId, number) => ({ jobId, momentMs: firstMs + number * 50 }));
      await life.makeAll(made.map(({ jobId, momentMs }) => ({ jobId, job: { when: moment(momentMs), words: jobId } })));
      await life.until('JobEnded', made.length);
      expect(life.all('JobFired')).toMatchObject(made);
      expect(life.delivered().toSorted()).toEqual(made.map(({ jobId }) => jobId).toSorted());
      await life.end();
    }),
  );
});

describe('a wall clock that is set while jobs run', () => {
  const hourly = { type: 'Cron', cron: '@hourly', timeZone: 'UTC' } as const;
  const moments = (life: JobLife, jobId: string): readonly number[] =>
    life.all('JobFired').flatMap((it) => (it['jobId'] === jobId ? [Number(it['momentMs'])] : []));

  verifies('jobs:clock-back', 'back by an hour: no moment comes twice, in this process and the next', () =>
    inTemporaryDirectory(async (directory) => {
      const clock = new SetClock();
      const first = await JobLife.begin({ directory, clock });
      await first.make('hourly', { kind: 'Recurring', for: 'Person', when: hourly });
      await first.make('work', { for: 'Agent', when: moment(clock.nowMs() + HOUR_MS) });
      clock.aheadMs = HOUR_MS;
      await first.until('RunClosed');
      await first.until('JobEnded', 2);
      clock.aheadMs = 0;
      await first.until('ClockJump', 2);
      await first.make('now', { when: moment(clock.nowMs()) });
      await first.until('JobEnded', 3);
      await first.end();
      expect(moments(first, 'hourly')).toHaveLength(1);
      const second = await JobLife.begin({ directory, clock });
      await second.make('again', { when: moment(clock.nowMs()) });
      await second.until('JobEnded');
      expect(idsOf(second.all('JobFired'))).toEqual(['again']);
      clock.aheadMs = 2 * HOUR_MS;
      await second.until('JobEnded', 2);
      expect(moments(second, 'hourly')).toEqual([(moments(first, 'hourly')[0] ?? 0) + HOUR_MS]);
      await second.end();
    }),
  );

  verifies('jobs:clock-back', 'forward by a day and back again: what was served is served', () =>
    inTemporaryDirectory(async (directory) => {
      const clock = new SetClock();
      const life = await JobLife.begin({ directory, clock });
      await life.make('hourly', { kind: 'Recurring', for: 'Person', when: hourly });
      await life.make('evening', { when: moment(clock.nowMs() + 12 * HOUR_MS) });
      clock.aheadMs = DAY_MS;
      await life.until('JobEnded', 2);
      expect(moments(life, 'hourly')).toHaveLength(1);
      expect(life.all('JobSkipped')).toMatchObject([{ jobId: 'hourly', count: 23 }]);
      clock.aheadMs = 0;
      await life.until('ClockJump', 2);
      await life.make('now', { when: moment(clock.nowMs()) });
      await life.until('JobEnded', 3);
      expect(idsOf(life.all('JobFired')).toSorted()).toEqual(['evening', 'hourly', 'now']);
      await life.end();
    }),
  );
});

/** Cycles of runs of jobs that asked a model. */
function ownCycles(life: JobLife): number {
  const own = life.records.filter(({ kind, runId }) => kind === 'ModelRequested' && runId?.startsWith('job-') === true);
  return new Set(own.map(({ cycleId }) => cycleId)).size;
}

function tokensOf(answer: unknown): number {
  const { usage } = answer as { readonly usage: Readonly<Record<string, number>> };
  return Object.values(usage).reduce((sum, tokens) => sum + tokens, 0);
}

/** The most that a call may use. */
function mostOf(request: unknown): number {
  const asked = request as Parameters<typeof promptTokens>[0] & { readonly maxOutputTokens: number };
  return promptTokens(asked) + asked.maxOutputTokens;
}
