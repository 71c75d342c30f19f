/** A clock for work that only waits: its time goes as fast as it is waited for. */
import { setImmediate as otherWork } from 'node:timers/promises';
import type { Clock } from '@retainer/contract/std/clock';

export function rushingClock(): Clock {
  let elapsedMs = 0;
  return {
    nowMs: () => Date.UTC(2030, 0, 1) + elapsedMs,
    monotonicMs: () => elapsedMs,
    sleep: async (durationMs, signal) => {
      await otherWork();
      if (signal?.aborted === true) throw new Error('the sleep was ended');
      elapsedMs += durationMs;
    },
  };
}
