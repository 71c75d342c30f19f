/** The scheduler over the real fold of its records, with runs and notices that a test lets go on. */
import type { PartRecord } from '@retainer/mind/part/store';
import type { StatesOfParts } from '@retainer/mind/parts/derived';
import { describe, expect } from 'vitest';
import { JobRecords } from '../../../../test/support/job-records.ts';
import { jobDefinition } from '../../../../test/support/job-words.ts';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { verifies } from '../../../../test/verifies.ts';
import type { JobRunsPort, StateOfFiring } from '../../ports/job-runs.ts';
import { scheduler } from './scheduler.ts';

class Held {
  release = (): void => undefined;
  readonly done = new Promise<void>((resolve) => (this.release = resolve));
}

/** Words that are on their way, and a run that is beginning. */
class Days {
  readonly records = new JobRecords();
  readonly written: PartRecord[] = [];
  readonly notice = new Held();
  readonly beginning = new Held();
  readonly begun = new Held();
  told = 0;
  begins = 0;
  stateOfRun: StateOfFiring = 'UnderWay';
  #ring = (): void => undefined;

  make(jobId: string, whom: 'Agent' | 'Person', atMs: number): void {
    const job = jobDefinition(jobId, { kind: 'Reminder', for: whom, when: { type: 'Moment', atMs } });
    this.records.created(jobId, { job });
  }

  ring(): void {
    this.#ring();
  }

  readonly parts = {
    known: (): StatesOfParts => ({ jobs: this.records.jobs }) as StatesOfParts,
    write: (records: readonly PartRecord[]): Promise<void> => {
      this.written.push(...records);
      this.records.take(records);
      if (records.length > 0) this.ring();
      return Promise.resolve();
    },
  };

  readonly jobs: JobRunsPort = {
    limits: { isEnabled: true, idleAfterMs: 0, maxDeferralMs: 0, peopleSlots: 1 },
    isWorking: () => true,
    runIdOf: ({ state }) => `run-${state.jobId}`,
    begin: () => {
      this.begins += 1;
      this.begun.release();
      return this.beginning.done;
    },
    stateOf: () => this.stateOfRun,
    cancel: () => Promise.resolve(),
    notify: () => {
      this.told += 1;
      return this.notice.done;
    },
    budgetWait: () => undefined,
    usedAtMs: () => undefined,
    takeManifest: () => Promise.resolve(),
    followUps: () => [],
    changed: (_atMs, signal) =>
      new Promise((resolve) => {
        this.#ring = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      }),
    wasRestoredAfter: () => false,
    restoredAtMs: () => undefined,
  };

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Whenever the scheduler waits, it is told that something changed. */
  untilRung(holds: () => boolean): Promise<void> {
    return this.until(() => {
      this.ring();
      return holds();
    });
  }

  ended(jobId: string): number {
    return this.written.filter(
      ({ kind, payload }) => kind === 'JobEnded' && (payload as { readonly jobId: string }).jobId === jobId,
    ).length;
  }
}

verifies('jobs:once', 'words that reach a person while a run begins are told once, and end once', async () => {
  const clock = manualClock();
  const days = new Days();
  days.records.nowMs = clock.nowMs();
  days.make('work', 'Agent', clock.nowMs() + 1_000);
  days.make('words', 'Person', clock.nowMs());
  const over = new AbortController();
  const running = scheduler({ clock, parts: days.parts, jobs: days.jobs }).run(over.signal);
  await days.until(() => days.told === 1);
  clock.advance(1_000);
  days.ring();
  await days.begun.done;
  days.notice.release();
  await days.until(() => days.ended('words') === 1);
  days.beginning.release();
  // After it has gone through all firings, it waits for something new.
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  over.abort();
  await running;
  expect([days.told, days.ended('words')]).toEqual([1, 1]);
});

const GIVEN_UP = 'a person gave its run up';
const GONE = 'its run came to no end that the record has';
const RESTORED = 'the record was restored from an earlier copy, and its run may have ended after that';

describe('a firing whose run never ends', () => {
  const fates = [
    ['GivenUp', GIVEN_UP],
    ['Gone', GONE],
  ] as const;
  for (const [fate, why] of fates)
    verifies('jobs:run', `fails with the reason, once: ${fate}`, async () => {
      const clock = manualClock();
      const days = new Days();
      const momentMs = clock.nowMs();
      days.records.nowMs = momentMs;
      days.make('work', 'Agent', momentMs);
      days.beginning.release();
      const over = new AbortController();
      const running = scheduler({ clock, parts: days.parts, jobs: days.jobs }).run(over.signal);
      await days.untilRung(() => days.begins === 1);
      days.stateOfRun = fate;
      await days.untilRung(() => {
        clock.advance(1_000);
        return days.ended('work') === 1;
      });
      over.abort();
      await running;
      expect(days.written.filter(({ kind }) => kind === 'JobEnded').map(({ payload }) => payload)).toEqual([
        { jobId: 'work', momentMs, outcome: 'Failed', runId: 'run-work', why },
      ]);
      expect(days.begins).toBe(1);
    });
});

describe('a firing of a record that was restored', () => {
  for (const [fired, isLost] of [
    ['before', true],
    ['after', false],
  ] as const)
    verifies(
      'jobs:once',
      `${fired} that, without its run: ${isLost ? 'fails, and begins no run' : 'begins'}`,
      async () => {
        const clock = manualClock();
        const days = new Days();
        const momentMs = clock.nowMs();
        days.records.nowMs = momentMs;
        days.make('work', 'Agent', momentMs);
        days.records.take([
          { store: 'job', kind: 'JobFired', payload: { jobId: 'work', momentMs, runId: 'run-work' } },
        ]);
        const restoredMs = momentMs + (isLost ? 1 : -1);
        const jobs = { ...days.jobs, wasRestoredAfter: (atMs: number) => atMs < restoredMs };
        days.stateOfRun = 'Gone';
        days.beginning.release();
        const over = new AbortController();
        const running = scheduler({ clock, parts: days.parts, jobs }).run(over.signal);
        await days.until(() => days.begins + days.ended('work') === 1);
        over.abort();
        await running;
        expect(days.begins).toBe(isLost ? 0 : 1);
        if (isLost)
          expect(days.written).toMatchObject([{ kind: 'JobEnded', payload: { outcome: 'Failed', why: RESTORED } }]);
      },
    );
});
