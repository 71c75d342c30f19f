/** One pending alarm on the wall clock, replaced by each new one. */
import type { Clock } from '@retainer/contract/std/clock';

/** Longest single sleep: the wall clock may be set meanwhile, so the alarm looks again. Also below the timer's own limit. */
const sleepMsMax = 60_000;

export class Alarm {
  readonly #clock: Clock;
  readonly #fire: () => void;
  #pending: AbortController | undefined;
  #atMs: number | undefined;

  constructor(clock: Clock, fire: () => void) {
    this.#clock = clock;
    this.#fire = fire;
  }

  /** Fires once the wall clock has reached `atMs`; undefined disarms. */
  set(atMs: number | undefined): void {
    if (atMs === this.#atMs) return;
    this.#atMs = atMs;
    this.#pending?.abort();
    this.#pending = undefined;
    if (atMs === undefined) return;
    const pending = new AbortController();
    this.#pending = pending;
    void this.#wait(atMs, pending.signal);
  }

  async #wait(atMs: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const leftMs = atMs - this.#clock.nowMs();
      if (leftMs <= 0) {
        this.#atMs = undefined;
        return this.#fire();
      }
      // An aborted sleep rejects; the loop's condition ends it.
      await this.#clock.sleep(Math.min(leftMs, sleepMsMax), signal).catch(() => undefined);
    }
  }
}
