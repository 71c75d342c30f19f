/** The scheduler over the real fold of its records, with runs and notices that a test lets go on. */
import type { PartRecord } from '@retainer/mind/part/store';
import type { StatesOfParts } from '@retainer/mind/parts/derived';
import { expect } from 'vitest';
import { jobCreated, jobDefinition, JobRecords } from '../../../../test/support/job-records.ts';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { verifies } from '../../../../test/verifies.ts';
import type { JobRunsPort } from '../../ports/job-runs.ts';
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
  #ring = (): void => undefined;

  make(jobId: string, whom: 'Agent' | 'Person', atMs: number): void {
    const job = jobDefinition(jobId, { kind: 'Reminder', for: whom, when: { type: 'Moment', atMs } });
    this.records.created(jobId, jobCreated(jobId, { job }));
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
      this.begun.release();
      return this.beginning.done;
    },
    stateOf: () => 'UnderWay',
    cancel: () => Promise.resolve(),
    notify: () => {
      this.told += 1;
      return this.notice.done;
    },
    freeAtMs: () => undefined,
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
