/**
 * Measures how similar two intents are.
 *
 * An intent becomes a direction: its words and their parts, weighted by frequency. The likeness of two intents is the cosine
 * between their directions, 0 to 1.
 *
 * Source: artoo A.11 (neighbours by embedding of the intent, cosine at least 0.80, at most four).
 * Differs: this direction is lexical; `intent-comparison.ts` sets vectors beside it. It recognises other forms and orders of the same
 * words in any script, but no synonyms. A lexical cosine is lower than one of embeddings, so its threshold is lower too;
 * `intent-likeness.test.ts` contains the pairs that determined it.
 */

import { isUnspaced, partsOf } from './words.ts';
import { significantWords } from './significant-words.ts';

/** Sparse, of length 1; empty for a text without words. */
export type Direction = ReadonlyMap<string, number>;

/** Letters of a word part. Three are enough to distinguish endings from stems. */
const PART_LETTERS = 3;

/** A whole word is more significant than one of its parts. */
const WORD_WEIGHT = 2;

/** Characters of an intent that are read; its first sentences say what is wanted. */
const READ_CHARACTERS = 1000;

/** Number of features of a direction, strongest first: whole words before parts, earlier words before later ones. */
const FEATURES_MAX = 256;

export const lexicalEmbedding = {
  embed: (intent: string): Direction => normalised(features(intent.slice(0, READ_CHARACTERS))),
  /** From this cosine on two intents are neighbours. */
  neighbourMin: 0.5,
} as const;

/** Cosine of two directions. */
export function likeness(a: Direction, b: Direction): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  let sum = 0;
  for (const [feature, weight] of small) sum += weight * (large.get(feature) ?? 0);
  return sum;
}

function features(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const add = (feature: string, weight: number): void => {
    counts.set(feature, (counts.get(feature) ?? 0) + weight);
  };
  for (const word of significantWords(text)) {
    const parts = isUnspaced(word) ? partsOf(word, 2) : partsOf(`^${word}$`, PART_LETTERS);
    if (!isUnspaced(word)) add(word, WORD_WEIGHT);
    for (const part of parts) add(`~${part}`, 1);
  }
  return counts;
}

function normalised(counts: ReadonlyMap<string, number>): Direction {
  const strongest = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, FEATURES_MAX);
  const length = Math.hypot(...strongest.map(([, weight]) => weight));
  return new Map(strongest.map(([feature, weight]) => [feature, weight / length]));
}
