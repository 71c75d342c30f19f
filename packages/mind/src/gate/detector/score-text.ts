/**
 * Scores a text by the statistical layer: a linear model over hashed n-grams, whose weights `npm run gate:train` makes.
 *
 * I1  Pure and deterministic: sums of whole numbers, one division and one square root for each window.
 * I2  Linear in the text.
 *
 * Source: reliability-security 4.
 */
import { SCREENED_CHARACTERS_MAX } from '../text/limits.ts';
import type { Sliced } from '../text/pace.ts';
import type { Span } from '../text/spelling-builder.ts';
import { featuresOf } from './features.ts';
import { cutTokens } from './tokens.ts';
import { lossOf, sizeOf, windowsOf, type Window } from './windows.ts';

/** One signed byte for each bucket; a hash's highest bits name its bucket. */
export interface Model {
  readonly weights: Int8Array;
  readonly bucketBits: number;
  /** What one step of a weight is worth. */
  readonly scale: number;
  readonly bias: number;
}

/** The most suspicious window of a text. */
export interface TextScore extends Span {
  /** Above 0 the layer takes it rather for an attack; in hundredths, whole. */
  readonly score: number;
}

const HUNDREDTHS = 100;

export function* scoreText(model: Model, text: string): Sliced<TextScore> {
  const tokens = yield* cutTokens(text.slice(0, SCREENED_CHARACTERS_MAX));
  const features = yield* featuresOf(tokens);
  yield;
  const windows = windowsOf(features);
  const { window, mean } = highestOf(windows, sumsOf(features.hashes, model));
  const score = Math.round((model.bias + model.scale * mean - lossOf(windows.length)) * HUNDREDTHS);
  const [start, end] = [tokens[window.first]?.start, tokens[window.end - 1]?.end];
  return { score, start: start ?? 0, end: end ?? 0 };
}

interface Scored {
  readonly window: Window;
  /** Sum of its weights, divided by its size. */
  readonly mean: number;
}

/** The first of the highest. */
function highestOf(windows: readonly Window[], sums: Int32Array): Scored {
  const scored = windows.map((window) => {
    return { window, mean: ((sums[window.to] ?? 0) - (sums[window.from] ?? 0)) / sizeOf(window) };
  });
  return scored.reduce((best, next) => (next.mean > best.mean ? next : best));
}

const HASH_BITS = 32;

/** At each place the sum of all weights before it. */
function sumsOf(hashes: Int32Array, { weights, bucketBits }: Model): Int32Array {
  const sums = new Int32Array(hashes.length + 1);
  let sum = 0;
  for (const [index, hash] of hashes.entries()) {
    sum += weights[hash >>> (HASH_BITS - bucketBits)] ?? 0;
    sums[index + 1] = sum;
  }
  return sums;
}
