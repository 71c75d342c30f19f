/** A clock that stands still until a test moves it. */
import type { Clock } from '@retainer/contract/std/clock';

export interface ManualClock extends Clock {
  /** Moves the time on and wakes every sleeper whose time has come, earliest first. */
  advance(durationMs: number): void;
  /** Resolves as soon as somebody sleeps for exactly this long: the condition to wait for before `advance`. */
  untilSleeping(durationMs: number): Promise<void>;
  /** Durations of the sleeps that are going on, in the order they began. */
  sleeping(): readonly number[];
  /** Until the next sleeper wakes; undefined where nobody sleeps. */
  nextInMs(): number | undefined;
}

interface Sleeper {
  readonly durationMs: number;
  readonly dueMs: number;
  readonly wake: () => void;
}

/** Where a clock begins that is told nothing else, milliseconds since 1970. */
export const MANUAL_START_MS = Date.UTC(2030, 0, 1);

/** @param startMs  wall clock at the start; the monotonic clock starts at 0 */
export function manualClock(startMs = MANUAL_START_MS): ManualClock {
  let elapsedMs = 0;
  let sleepers: readonly Sleeper[] = [];
  const watchers = new Set<() => void>();

  const sleep = (durationMs: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason as Error);
      const leave = (): void => {
        sleepers = sleepers.filter((other) => other !== sleeper);
        signal?.removeEventListener('abort', onAbort);
      };
      const onAbort = (): void => {
        leave();
        reject(signal?.reason as Error);
      };
      const wake = (): void => {
        leave();
        resolve();
      };
      const sleeper: Sleeper = { durationMs, dueMs: elapsedMs + durationMs, wake };
      signal?.addEventListener('abort', onAbort, { once: true });
      sleepers = [...sleepers, sleeper];
      for (const look of watchers) look();
    });

  return {
    nowMs: () => startMs + elapsedMs,
    monotonicMs: () => elapsedMs,
    sleep,
    sleeping: () => sleepers.map(({ durationMs }) => durationMs),
    nextInMs: () => (sleepers.length === 0 ? undefined : Math.min(...sleepers.map(({ dueMs }) => dueMs)) - elapsedMs),
    untilSleeping: (durationMs) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!sleepers.some((sleeper) => sleeper.durationMs === durationMs)) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
    advance: (durationMs) => {
      elapsedMs += durationMs;
      const due = sleepers.filter(({ dueMs }) => dueMs <= elapsedMs).toSorted((a, b) => a.dueMs - b.dueMs);
      for (const { wake } of due) wake();
    },
  };
}
