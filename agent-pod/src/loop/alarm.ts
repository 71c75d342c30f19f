/** One pending alarm on the wall clock, replaced by each new one. */
import type { Clock } from '@retainer/contract/std/clock';

/** Longest single sleep: the wall clock may be set meanwhile, so the alarm looks again. Also below the timer's own limit. */
const sleepMsMax = 60_000;

/** Given as the reason: making one for each alarm costs more than all the rest of it. */
const replaced = new Error('the alarm was set anew');

export class Alarm {
  readonly #clock: Clock;
  readonly #fire: () => void;
  #pending: AbortController | undefined;
  #atMs: number | undefined;
  /** When the pending sleep ends. */
  #wakesAtMs = 0;

  constructor(clock: Clock, fire: () => void) {
    this.#clock = clock;
    this.#fire = fire;
  }

  /** Fires once the wall clock has reached `atMs`; undefined disarms. */
  set(atMs: number | undefined): void {
    if (atMs === this.#atMs) return;
    this.#atMs = atMs;
    // A sleep that ends in time looks again by itself: an alarm is mostly put off and rarely fires.
    if (this.#pending !== undefined && atMs !== undefined && this.#wakesAtMs <= atMs) return;
    this.#pending?.abort(replaced);
    this.#pending = undefined;
    if (atMs === undefined) return;
    const pending = new AbortController();
    this.#pending = pending;
    void this.#wait(pending.signal);
  }

  async #wait(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#atMs !== undefined) {
      const nowMs = this.#clock.nowMs();
      const leftMs = this.#atMs - nowMs;
      if (leftMs <= 0) {
        this.#atMs = undefined;
        this.#pending = undefined;
        return this.#fire();
      }
      const sleepMs = Math.min(leftMs, sleepMsMax);
      this.#wakesAtMs = nowMs + sleepMs;
      // An aborted sleep rejects; the loop's condition ends it.
      await this.#clock.sleep(sleepMs, signal).catch(() => undefined);
    }
  }
}
