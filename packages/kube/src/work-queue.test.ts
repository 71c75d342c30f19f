import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { keyText, type ObjectKey } from './kube-object.ts';
import { systemClock } from '@retainer/contract/std/system-clock';
import { priority, WorkQueue, type Next, type WorkQueueOptions } from './work-queue.ts';

/** Seconds of work: a queue that lets no timer fire ends all the same. */
const PASSES_MAX = 100_000;

const idle: Next = { type: 'Idle' };
const keyOf = (name: string): ObjectKey => ({ namespace: 'a', name });
const turn = (): Promise<void> => new Promise(setImmediate);
/** A pass may have been put off by one turn. */
const settled = async (): Promise<void> => {
  await turn();
  await turn();
};

function queue(options: Partial<WorkQueueOptions> & Pick<WorkQueueOptions, 'work'>): WorkQueue {
  return new WorkQueue({
    name: 'test',
    clock: manualClock(),
    concurrency: 2,
    deadlineMs: 60_000,
    onPanic: () => undefined,
    ...options,
  });
}

/** Work that goes on until the test ends it. */
function heldWork(): {
  readonly work: (key: ObjectKey, signal: AbortSignal) => Promise<Next>;
  readonly running: Map<string, { readonly end: (next?: Next) => void; readonly signal: AbortSignal }>;
} {
  const running = new Map<string, { readonly end: (next?: Next) => void; readonly signal: AbortSignal }>();
  const work = (key: ObjectKey, signal: AbortSignal): Promise<Next> =>
    new Promise((resolve) => {
      const end = (next = idle): void => {
        running.delete(key.name);
        resolve(next);
      };
      running.set(key.name, { end, signal });
    });
  return { work, running };
}

describe('a queue', () => {
  it('works on nothing before the start, and on all that was added then', async () => {
    const { work, running } = heldWork();
    const filled = queue({ work, concurrency: 9 });
    for (const name of ['1', '2', '3']) filled.add(keyOf(name));
    await settled();
    expect(running.size).toBe(0);
    filled.start();
    await settled();
    expect([...running.keys()]).toEqual(['1', '2', '3']);
  });

  verifies('kube:queue-serial', 'works on as many keys at once as there are workers', async () => {
    const { work, running } = heldWork();
    const busy = queue({ work });
    busy.start();
    for (const name of ['1', '2', '3']) busy.add(keyOf(name));
    await settled();
    expect([...running.keys()]).toEqual(['1', '2']);
    expect([busy.activeWorkers, busy.depth(priority.live)]).toEqual([2, 1]);
    running.get('2')?.end();
    await settled();
    expect([...running.keys()]).toEqual(['1', '3']);
  });

  verifies('kube:queue-back-off', 'tries what failed or threw again when its time has come', async () => {
    const clock = manualClock();
    const panics: unknown[] = [];
    let tries = 0;
    const failing = queue({
      clock,
      onPanic: (key, error) => panics.push([keyText(key), error]),
      work: async () => {
        tries += 1;
        if (tries === 1) throw new Error('a bug');
        return tries === 2 ? { type: 'Retry' } : idle;
      },
    });
    failing.start();
    failing.add(keyOf('1'));
    await clock.untilSleeping(5);
    expect(panics).toEqual([['a/1', new Error('a bug')]]);
    clock.advance(5);
    await clock.untilSleeping(10);
    expect(tries).toBe(2);
    clock.advance(10);
    await settled();
    expect([tries, clock.sleeping()]).toEqual([3, []]);
  });

  verifies('kube:queue-serial', 'aborts work at its deadline, and keeps its key until it has ended', async () => {
    const clock = manualClock();
    const { work, running } = heldWork();
    let timeouts = 0;
    const nothing = (): void => undefined;
    const observer = { added: nothing, started: nothing, finished: nothing, retried: nothing };
    const late = queue({ clock, work, observer: { ...observer, timedOut: () => (timeouts += 1) } });
    late.start();
    late.add(keyOf('1'));
    await clock.untilSleeping(60_000);
    clock.advance(60_000);
    await settled();
    const first = running.get('1');
    expect([timeouts, first?.signal.aborted]).toEqual([1, true]);
    expect([late.unfinishedSeconds, late.longestRunningSeconds]).toEqual([60, 60]);
    late.add(keyOf('1'));
    await settled();
    expect(late.activeWorkers).toBe(1);
    first?.end();
    await settled();
    expect(running.get('1')?.signal.aborted).toBe(false);
  });

  verifies('kube:queue-yields', 'lets a timer fire between passes that wait for nothing', async () => {
    let passes = 0;
    let passesBeforeTimer: number | undefined;
    setTimeout(() => (passesBeforeTimer = passes), 10);
    await new Promise<void>((resolve) => {
      const endless = queue({
        clock: systemClock,
        work: async ({ name }) => {
          passes += 1;
          if (passesBeforeTimer === undefined && passes < PASSES_MAX) endless.add(keyOf(String(Number(name) + 1)));
          else resolve();
          return idle;
        },
      });
      endless.start();
      endless.add(keyOf('0'));
    });
    expect(passesBeforeTimer).toBeLessThan(PASSES_MAX);
  });

  verifies('kube:queue-yields', 'drains a burst in turns of the event loop, each of one slice of time', async () => {
    const clock = manualClock();
    const passesByTurn: number[] = [];
    let passes = 0;
    const burst = queue({
      clock,
      work: async () => {
        passes += 1;
        clock.advance(1);
        return idle;
      },
    });
    for (let index = 0; index < 1000; index += 1) burst.add(keyOf(String(index)));
    burst.start();
    while (passes < 1000) {
      await turn();
      passesByTurn.push(passes);
    }
    const steps = passesByTurn.map((after, index) => after - (passesByTurn[index - 1] ?? 0));
    expect(Math.max(...steps)).toBeLessThan(20);
  });

  verifies('kube:queue-drains', 'takes nothing after a stop, and waits for what is going on', async () => {
    const clock = manualClock();
    const { work, running } = heldWork();
    const stopped = queue({ clock, work, concurrency: 1 });
    stopped.start();
    stopped.add(keyOf('1'));
    stopped.add(keyOf('2'));
    await settled();
    let isStopped = false;
    const stop = stopped.stop(20_000).then(() => {
      isStopped = true;
    });
    await settled();
    expect([isStopped, running.get('1')?.signal.aborted]).toEqual([false, false]);
    running.get('1')?.end();
    await stop;
    stopped.add(keyOf('3'));
    await settled();
    expect([...running.keys()]).toEqual([]);
  });

  verifies(
    'kube:queue-drains',
    'aborts work after the grace, and resolves though the work does not heed it',
    async () => {
      const clock = manualClock();
      const { work, running } = heldWork();
      const stuck = queue({ clock, work });
      stuck.start();
      stuck.add(keyOf('1'));
      await settled();
      const stop = stuck.stop(20_000);
      await clock.untilSleeping(20_000);
      clock.advance(20_000);
      await clock.untilSleeping(1_000);
      expect(running.get('1')?.signal.aborted).toBe(true);
      clock.advance(1_000);
      await stop;
    },
  );

  verifies(
    'kube:queue-loses-nothing',
    'never works on one key twice at once, and sees every change after it was made',
    () =>
      fc.assert(
        fc.asyncProperty(
          fc.scheduler(),
          fc.array(fc.tuple(fc.constantFrom('1', '2', '3'), fc.boolean()), { minLength: 1, maxLength: 40 }),
          async (scheduler, changes) => {
            const version = new Map<string, number>();
            const seen = new Map<string, number>();
            const working = new Set<string>();
            const racing = queue({
              concurrency: 3,
              work: async ({ name }) => {
                expect(working).not.toContain(name);
                working.add(name);
                // Read at the beginning, as a pass reads its cache.
                const read = version.get(name) ?? 0;
                await scheduler.schedule(Promise.resolve(), `pass over ${name}`);
                seen.set(name, read);
                working.delete(name);
                return idle;
              },
            });
            racing.start();
            scheduler.scheduleSequence(
              changes.map(([name, isUrgent]) => async () => {
                version.set(name, (version.get(name) ?? 0) + 1);
                racing.add(keyOf(name), isUrgent ? priority.live : priority.low);
              }),
            );
            do await scheduler.waitIdle();
            while (racing.activeWorkers + racing.depth(priority.live) + racing.depth(priority.low) > 0);
            expect(seen).toEqual(version);
          },
        ),
        { numRuns: 50 },
      ),
  );
});
