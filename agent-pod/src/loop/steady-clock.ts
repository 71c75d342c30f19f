/**
 * The wall clock as work sees it: it goes on evenly. What the machine's clock does besides (somebody sets it, or the machine sleeps)
 * is followed only when `follow` is called, so that whoever calls it can tell the work first.
 */
import type { Clock } from '@retainer/contract/std/clock';
import { systemClock } from '@retainer/contract/std/system-clock';

/** Between two looks of the clock watch. Shorter than the required 5 s from a jump to its record. */
export const CLOCK_TICK_MS = 2_000;

export class SteadyClock implements Clock {
  readonly #source: Clock;
  #offsetMs: number;

  constructor(source: Clock) {
    this.#source = source;
    this.#offsetMs = source.nowMs() - source.monotonicMs();
  }

  nowMs(): number {
    return Math.floor(this.#offsetMs + this.#source.monotonicMs());
  }

  monotonicMs(): number {
    return this.#source.monotonicMs();
  }

  sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    return this.#source.sleep(durationMs, signal);
  }

  /** Its time is that of this machine, and not that of a test. */
  get isMachines(): boolean {
    return this.#source === systemClock;
  }

  /** How far the machine's clock is ahead of this one, in whole milliseconds; below zero: behind. */
  aheadMs(): number {
    return Math.round(this.#source.nowMs() - this.#source.monotonicMs() - this.#offsetMs);
  }

  /** From now on this clock shows what the machine's does. */
  follow(): void {
    this.#offsetMs = this.#source.nowMs() - this.#source.monotonicMs();
  }
}
