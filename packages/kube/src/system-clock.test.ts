import { expect, it } from 'vitest';
import { systemClock } from '@retainer/contract/std/system-clock';

/** Nothing waits so long. */
const LONG_MS = 3_600_000;
const reason = new Error('enough');

it('sleeps until the time has passed', async () => {
  const beganMs = systemClock.monotonicMs();
  await systemClock.sleep(2, new AbortController().signal);
  // Timers of Node count whole milliseconds.
  expect(systemClock.monotonicMs() - beganMs).toBeGreaterThanOrEqual(1);
});

it.each([
  ['before it begins', AbortSignal.abort(reason)],
  ['meanwhile', abortedSoon()],
])("rejects with the signal's reason when that is aborted %s", async (_, signal) => {
  await expect(systemClock.sleep(LONG_MS, signal)).rejects.toBe(reason);
});

function abortedSoon(): AbortSignal {
  const controller = new AbortController();
  setImmediate(() => controller.abort(reason));
  return controller.signal;
}
