/** The windows of a text. A long text is scored part by part, so that its length does not water down a command in it. */
import type { Features } from './features.ts';

/** Tokens of a window: one or two sentences. */
export const WINDOW_TOKENS = 40;
/** Tokens between the starts of two windows. */
export const WINDOW_STEP = 10;

export interface Window {
  /** First token, and the one after the last. */
  readonly first: number;
  readonly end: number;
  /** The same for hashes. */
  readonly from: number;
  readonly to: number;
}

/** The last window ends with the text. */
export function windowsOf({ ends }: Features, step: number = WINDOW_STEP): readonly Window[] {
  const last = Math.max(0, ends.length - WINDOW_TOKENS);
  const windows: Window[] = [];
  for (let first = 0; first < last; first += step) windows.push(windowAt(ends, first));
  return [...windows, windowAt(ends, last)];
}

function windowAt(ends: Int32Array, first: number): Window {
  const end = Math.min(ends.length, first + WINDOW_TOKENS);
  return { first, end, from: ends[first - 1] ?? 0, to: ends[end - 1] ?? 0 };
}

/** Below this, a window counts as if it had as many n-grams: three words alone are no strong sign of anything. */
const NGRAMS_MIN = 60;

/** What the sum of a window's weights is divided by, so that long and short windows compare. */
export function sizeOf({ from, to }: Window): number {
  return Math.sqrt(Math.max(NGRAMS_MIN, to - from));
}

/**
 * What the score of a text loses for the number of its windows: among many, the highest is high by chance. In units of the score,
 * for each doubling; a text of 4 KiB has about sixty windows.
 */
const LOSS_OF_DOUBLING = 0.3;
const HIGHEST_BIT = 31;

export function lossOf(windows: number): number {
  return LOSS_OF_DOUBLING * (HIGHEST_BIT - Math.clz32(Math.max(1, windows)));
}
