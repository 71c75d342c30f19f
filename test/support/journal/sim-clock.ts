import type { Clock } from '@retainer/contract/std/clock';

/** A clock that stands still until it is moved: for tests and simulations. */
export class SimClock implements Clock {
  #nowMs: number;
  #monotonicMs = 0;
  readonly #sleepers = new Set<{ readonly untilMs: number; readonly wake: () => void }>();

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  /** Time passes: both clocks move, and whoever has slept long enough wakes. */
  advance(durationMs: number): void {
    this.#nowMs += durationMs;
    this.#monotonicMs += durationMs;
    for (const sleeper of this.#sleepers) if (sleeper.untilMs <= this.#monotonicMs) sleeper.wake();
  }

  /** Somebody sets the wall clock. No time passes. */
  jump(byMs: number): void {
    this.#nowMs += byMs;
  }

  sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const sleeper = { untilMs: this.#monotonicMs + durationMs, wake: () => end(resolve) };
      const abort = (): void => end(() => reject(signal?.reason as Error));
      const end = (settle: () => void): void => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener('abort', abort);
        settle();
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#sleepers.add(sleeper);
    });
  }
}
