/**
 * Writes counts that change with every Task or Agent at most once per interval for each object: one write for each step of
 * each Task would cost too much. Urgent changes belong in conditions.
 */
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import type { Clock } from '@retainer/contract/std/clock';

/** Interval between two writes of one object's counts. */
export const COUNTS_EVERY_MS = 60_000;

export interface ChosenCounts<T> {
  /** The new counts, or the stored ones. */
  readonly counts: T;
  /** When the next write is due; undefined if these counts are right. */
  readonly dueAfterMs: number | undefined;
}

export class CoarseCounts<T> {
  readonly #clock: Clock;
  readonly #changedAtMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param stored  the counts in the status; undefined if there are none */
  choose(key: string, counted: T, stored: T | undefined): ChosenCounts<T> {
    const isSame = stored !== undefined && canonicalJson(stored) === canonicalJson(counted);
    if (isSame) return { counts: counted, dueAfterMs: undefined };
    const nowMs = this.#clock.monotonicMs();
    const sinceMs = nowMs - (this.#changedAtMs.get(key) ?? -COUNTS_EVERY_MS);
    if (stored !== undefined && sinceMs < COUNTS_EVERY_MS)
      return { counts: stored, dueAfterMs: COUNTS_EVERY_MS - sinceMs };
    this.#changedAtMs.set(key, nowMs);
    return { counts: counted, dueAfterMs: undefined };
  }

  forget(key: string): void {
    this.#changedAtMs.delete(key);
  }
}
