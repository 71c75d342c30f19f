import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from './clock.ts';

/** The machine's own time. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: async (durationMs, signal) => {
    await sleep(durationMs, undefined, signal === undefined ? {} : { signal });
  },
};
