import type { Clock } from './clock.ts';

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  // Node's own sleep creates an error with a stack on each abort, and most sleeps are aborted.
  sleep: (durationMs, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(reasonOf(signal));
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', cut);
        resolve();
      }, durationMs);
      function cut(): void {
        clearTimeout(timer);
        if (signal !== undefined) reject(reasonOf(signal));
      }
      signal?.addEventListener('abort', cut, { once: true });
    }),
};

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
