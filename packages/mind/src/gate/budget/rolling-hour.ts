/** An amount that counts for an hour, in whole minutes. */
import { z } from 'zod';

export const MINUTE_MS = 60_000;

/** The window in whole minutes. Use becomes free after at least an hour, and at most a minute later. */
const HOUR_MINUTES = 61;

/** Minute since 1970, and the amount in it. */
export const RollingHourState = z.array(z.tuple([z.number(), z.number()]));

export class RollingHour {
  readonly #join: (a: number, b: number) => number;
  #minutes = new Map<number, number>();

  /** @param join  amounts of one minute to one */
  constructor(join: (a: number, b: number) => number = (a, b) => a + b) {
    this.#join = join;
  }

  get state(): z.infer<typeof RollingHourState> {
    return [...this.#minutes];
  }

  restore(minutes: z.infer<typeof RollingHourState>): void {
    this.#minutes = new Map(minutes);
  }

  get total(): number {
    return [...this.#minutes.values()].reduce((total, amount) => total + amount, 0);
  }

  /** The largest amount of a minute; 0: there is none. */
  get largest(): number {
    return Math.max(0, ...this.#minutes.values());
  }

  add(amount: number, atMs: number): void {
    if (amount <= 0) return;
    const minute = minuteOf(atMs);
    this.#minutes.set(minute, this.#join(this.#minutes.get(minute) ?? 0, amount));
  }

  /** Forgets what is older. If the time has gone back, the future counts as now, so nothing becomes free. */
  turnTo(atMs: number): void {
    const now = minuteOf(atMs);
    const kept = new Map<number, number>();
    for (const [minute, amount] of this.#minutes) {
      const counted = Math.min(minute, now);
      if (counted > now - HOUR_MINUTES) kept.set(counted, this.#join(kept.get(counted) ?? 0, amount));
    }
    this.#minutes = kept;
  }

  /** When `left` has come down to `max`, milliseconds since 1970. @param left  the total, what is kept beside it, and what is asked */
  freeAtMs(left: number, max: number, atMs: number): number {
    let rest = left;
    for (const [minute, amount] of [...this.#minutes].toSorted(([a], [b]) => a - b)) {
      rest -= amount;
      if (rest <= max) return (minute + HOUR_MINUTES) * MINUTE_MS;
    }
    // A reservation becomes free when its call ends, or has been used by then.
    return (minuteOf(atMs) + HOUR_MINUTES) * MINUTE_MS;
  }
}

function minuteOf(atMs: number): number {
  return Math.floor(atMs / MINUTE_MS);
}
