/**
 * Cuts the reading of a long text into slices, so that whoever drives it can do other things in between.
 *
 * I1  Where the slices end changes nothing of the result: a reading is one computation that stops and goes on.
 *
 * Source: design 5 (one thread does everything of an agent).
 */

/** A computation that stops at the end of each slice. */
export type Sliced<T> = Generator<undefined, T, undefined>;

/**
 * Units of a slice: characters, words or pieces of words. The slowest unit takes some 10 µs, so that a slice takes some 10 ms of the
 * one thread; a search by one expression is not cut, and takes up to 50 ms of the longest text.
 */
export const SLICE_UNITS = 1024;

/** Counts the units of one loop. */
export class Pace {
  #units = 0;

  /** Whether a slice ends after these. */
  isFull(units = 1): boolean {
    this.#units += units;
    if (this.#units < SLICE_UNITS) return false;
    this.#units = 0;
    return true;
  }
}

/** Does all of it at once. */
export function finished<T>(work: Sliced<T>): T {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}
