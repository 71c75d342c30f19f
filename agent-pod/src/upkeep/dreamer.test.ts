import { describe, expect } from 'vitest';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { Bell } from '../loop/bell.ts';
import { DREAM_DELAY_MS, dreamer, type DreamerOptions } from './dreamer.ts';

const HOUR_MS = 3_600_000;

type Cause = ReturnType<DreamerOptions['runtime']['dreamCause']>;

/** A runtime that notes its dreams. */
class Sleeper {
  readonly dreamBell = new Bell();
  readonly clock = manualClock();
  readonly dreams: string[] = [];
  cause: Cause = 'Run';
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  dreamCause(): Cause {
    return this.cause;
  }

  dream(cause: NonNullable<Cause>): Promise<void> {
    this.dreams.push(cause);
    return Promise.resolve();
  }

  start(): void {
    this.#running = dreamer({ clock: this.clock, runtime: this, intervalMs: HOUR_MS }).run(this.#stop.signal);
  }

  async pass(ms: number): Promise<void> {
    await settled();
    this.clock.advance(ms);
    await settled();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

async function settled(): Promise<void> {
  for (let ticks = 0; ticks < 5; ticks += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function awake(steps: (sleeper: Sleeper) => Promise<void>): Promise<readonly string[]> {
  const sleeper = new Sleeper();
  sleeper.start();
  await steps(sleeper);
  await sleeper.stop();
  return sleeper.dreams;
}

describe('the Dreamer', () => {
  verifies('upkeep:dreams', 'dreams 50 ms after a run is archived, once for several of them', async () => {
    const dreams = await awake(async (sleeper) => {
      for (const _ of ['a', 'b']) sleeper.dreamBell.ring();
      await sleeper.pass(DREAM_DELAY_MS - 1);
      expect(sleeper.dreams).toEqual([]);
      await sleeper.pass(1);
      expect(sleeper.dreams).toEqual(['Run']);
      await sleeper.pass(HOUR_MS - DREAM_DELAY_MS - 1);
    });
    expect(dreams).toEqual(['Run']);
  });

  verifies(
    'upkeep:dreams',
    'leaves a run that is open alone, and dreams beside it once the interval has passed',
    async () => {
      const dreams = await awake(async (sleeper) => {
        sleeper.cause = undefined;
        for (let minute = 1; minute < 60; minute += 1) {
          sleeper.dreamBell.ring();
          await sleeper.pass(60_000);
        }
        expect(sleeper.dreams).toEqual([]);
        await sleeper.pass(60_000);
        expect(sleeper.dreams).toEqual(['Interval']);
        await sleeper.pass(HOUR_MS);
      });
      expect(dreams).toEqual(['Interval', 'Interval']);
    },
  );

  verifies('upkeep:dreams', 'dreams when a person wants it, whatever is open', async () => {
    const dreams = await awake(async (sleeper) => {
      sleeper.cause = 'Person';
      sleeper.dreamBell.ring();
      await sleeper.pass(DREAM_DELAY_MS);
    });
    expect(dreams).toEqual(['Person']);
  });

  verifies('upkeep:dreams', 'never dreams at the end', async () => {
    const dreams = await awake(async (sleeper) => {
      await settled();
      sleeper.dreamBell.ring();
      await settled();
    });
    expect(dreams).toEqual([]);
  });
});
