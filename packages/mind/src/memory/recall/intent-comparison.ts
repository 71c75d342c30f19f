/**
 * Tells whether two intents are the same, alike, or strangers.
 *
 * The same: their words that carry a subject are the same, in order, whatever their forms; so are target and kind of result.
 * Alike: their vectors are, or their words and parts of words.
 *
 * Source: artoo A.11 (neighbours by embedding of the intent). Differs: vectors come from a table of words, and the words count
 * beside them, which recognise what the table does not know.
 */
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import { lexicalEmbedding, likeness, type Direction } from '../../meaning/intent-likeness.ts';
import { dot, type Meaning, type TextVector } from '../../meaning/text-vector.ts';
import { termsOf } from './terms.ts';

/**
 * The least cosine of vectors of neighbours. 27 of 30 paraphrases that share no word reach it, and 4 of 1,520 unrelated pairs in
 * eight languages (`test/unit/mind/word-vectors.test.ts`).
 */
export const NEIGHBOUR_MIN = 0.5;

/** Intents whose features are kept at hand: as many as an index compares, and those that are asked about. */
const KNOWN_MAX = 2000;

interface Features {
  readonly words: Direction;
  readonly vector: TextVector | undefined;
  readonly terms: string;
}

export class IntentComparison {
  readonly #meaning: Meaning | undefined;
  readonly #mayLearn: boolean;
  readonly #known = new Map<string, Features>();

  /** @param meaning  absent: by words alone. @param mayLearn  vectors that it does not have may come later */
  constructor(meaning?: Meaning, mayLearn = false) {
    this.#meaning = meaning;
    this.#mayLearn = mayLearn;
  }

  isSame(a: string, b: string): boolean {
    return this.subject(a) === this.subject(b);
  }

  /** Equal for intents that are the same. */
  subject(intent: string): string {
    return this.#of(intent).terms;
  }

  /** 0 to 1; below `NEIGHBOUR_MIN` they are strangers. */
  similarity(a: string, b: string): number {
    const [left, right] = [this.#of(a), this.#of(b)];
    const byWords = likeness(left.words, right.words);
    if (left.vector === undefined || right.vector === undefined) return byWords;
    return Math.min(1, Math.max(byWords, dot(left.vector, right.vector)));
  }

  #of(intent: string): Features {
    const known = this.#known.get(intent);
    if (known !== undefined && (known.vector !== undefined || !this.#mayLearn)) return known;
    const vector = this.#meaning?.vectorOf(intent);
    if (known !== undefined && vector === undefined) return known;
    const features: Features =
      known === undefined
        ? { words: lexicalEmbedding.embed(intent), vector, terms: termsOf(intent).join(' ') }
        : { ...known, vector };
    this.#known.set(intent, features);
    forgetOldest(this.#known, KNOWN_MAX);
    return features;
  }
}
