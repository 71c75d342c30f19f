import type { Clock } from '@retainer/contract/std/clock';

export interface Deadline {
  readonly clock: Clock;
  readonly deadlineMs: number;
  /** Stops the work before its time. */
  readonly signal?: AbortSignal | undefined;
  /** The abort reason when the time is over. */
  readonly expired: () => Error;
}

/**
 * Runs work with a signal that is aborted when its time is over or when the caller's signal is. Always waits for the work, so
 * work that ignores its signal is not left behind.
 *
 * @param work  gets the signal, and a function that restarts its time
 */
export async function withDeadline<T>(
  { clock, deadlineMs, signal, expired }: Deadline,
  work: (signal: AbortSignal, renew: () => void) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const finished = new AbortController();
  const onAbort = (): void => stop.abort(signal?.reason);
  let startedMs = clock.monotonicMs();
  const watchTime = async (): Promise<void> => {
    for (;;) {
      const leftMs = startedMs + deadlineMs - clock.monotonicMs();
      if (leftMs <= 0) return stop.abort(expired());
      await clock.sleep(leftMs, finished.signal);
    }
  };
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  // The timer rejects only when the work is done.
  watchTime().catch(() => undefined);
  try {
    return await work(stop.signal, () => {
      startedMs = clock.monotonicMs();
    });
  } finally {
    finished.abort();
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Rejects with the signal's reason as soon as it is aborted, for work that cannot be stopped itself. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
