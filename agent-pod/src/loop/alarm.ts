/** One pending alarm on the wall clock. Setting it again replaces it. */
import { STOOD_MS_MIN, type Clock } from '@retainer/contract/std/clock';
import { CLOCK_TICK_MS, SteadyClock } from './steady-clock.ts';

/** Longest single sleep. The wall clock may change meanwhile, so the alarm checks again. Also below the timer's own limit. */
const SLEEP_MS_MAX = 60_000;

/** The reason of an abort. One shared error: a new one for each alarm would cost more than the alarm itself. */
const replaced = new Error('the alarm was set again');

export class Alarm {
  readonly #clock: Clock;
  readonly #fire: () => void;
  #pending: AbortController | undefined;
  #atMs: number | undefined;
  #wakesAtMs = 0;

  constructor(clock: Clock, fire: () => void) {
    this.#clock = clock;
    this.#fire = fire;
  }

  /** Fires when the wall clock reaches `atMs`; undefined disarms. */
  set(atMs: number | undefined): void {
    if (atMs === this.#atMs) return;
    this.#atMs = atMs;
    // A sleep that ends early enough checks again by itself: most alarms are postponed and few fire.
    if (this.#pending !== undefined && atMs !== undefined && this.#wakesAtMs <= atMs) return;
    this.#pending?.abort(replaced);
    this.#pending = undefined;
    if (atMs === undefined) return;
    const pending = new AbortController();
    this.#pending = pending;
    this.#wakesAtMs = 0;
    void this.#wait(pending.signal);
  }

  #stood(nowMs: number): boolean {
    const isMachines = this.#clock instanceof SteadyClock && this.#clock.isMachines;
    return isMachines && this.#wakesAtMs > 0 && nowMs - this.#wakesAtMs >= STOOD_MS_MIN;
  }

  async #wait(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#atMs !== undefined) {
      const nowMs = this.#clock.nowMs();
      if (this.#stood(nowMs)) {
        // What it was set for may not be due any more: the machines hear of the standstill first.
        this.#wakesAtMs = nowMs + CLOCK_TICK_MS;
        await this.#clock.sleep(CLOCK_TICK_MS, signal).catch(() => undefined);
        continue;
      }
      const leftMs = this.#atMs - nowMs;
      if (leftMs <= 0) {
        this.#atMs = undefined;
        this.#pending = undefined;
        return this.#fire();
      }
      const sleepMs = Math.min(leftMs, SLEEP_MS_MAX);
      this.#wakesAtMs = nowMs + sleepMs;
      // An aborted sleep rejects; the loop condition ends the loop.
      await this.#clock.sleep(sleepMs, signal).catch(() => undefined);
    }
  }
}
