/**
 * Measures how similar two intents are.
 *
 * An intent becomes a direction: its words and their parts, weighted by frequency. The likeness of two intents is the cosine
 * between their directions, 0 to 1.
 *
 * Source: artoo A.11 (neighbours by embedding of the intent, cosine at least 0.80, at most four).
 * Differs: the direction is lexical, because no embedding model is asked. It recognises other forms and orders of the same words
 * in any script, but no synonyms. A lexical cosine is lower than one of embeddings, so its threshold is lower too;
 * `intent-likeness.test.ts` contains the pairs that determined it.
 */

import { significantWords } from './significant-words.ts';

/** Turns a text into a direction, and defines the minimum cosine of neighbours. An embedding model can implement this. */
export interface IntentEmbedding {
  readonly embed: (intent: string) => Direction;
  /** 0 to 1. */
  readonly neighbourMin: number;
}

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

/** Scripts without blanks between words: each pair of characters replaces a word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

export const lexicalEmbedding: IntentEmbedding = {
  embed: (intent) => normalised(features(intent.slice(0, READ_CHARACTERS))),
  neighbourMin: 0.5,
};

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
    const isUnspaced = UNSPACED.test(word);
    if (!isUnspaced) add(word, WORD_WEIGHT);
    for (const part of partsOf(isUnspaced ? word : `^${word}$`, isUnspaced ? 2 : PART_LETTERS)) add(`~${part}`, 1);
  }
  return counts;
}

function partsOf(word: string, letters: number): readonly string[] {
  const characters = Array.from(word);
  if (characters.length <= letters) return [word];
  return characters.slice(letters - 1).map((_, at) => characters.slice(at, at + letters).join(''));
}

function normalised(counts: ReadonlyMap<string, number>): Direction {
  const strongest = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, FEATURES_MAX);
  const length = Math.hypot(...strongest.map(([, weight]) => weight));
  return new Map(strongest.map(([feature, weight]) => [feature, weight / length]));
}
