/**
 * Finds cases for a problem.
 *
 *     lexical  = Σ idf of the terms that the case has / Σ idf of all terms of the problem
 *     adaptive = a · lexical + (1 − a) · meaning,  a = .9 × the best lexical
 *     score    = (Σ weight · signal) · (1 + .25 · tanh M)
 *
 * M is the decision of memory on the case: what came of acting like this before. Every signal and the matched terms are part of
 * the answer, so whoever reads it later needs no index.
 *
 * Source: libraries 3 (coverage-adaptive, weights); springdrift 5 (signals). Differs: cases do not decay.
 */
import type { TextVector } from '../../meaning/text-vector.ts';
import { Best } from './best.ts';
import { greatest, inverseFrequency, Postings } from './postings.ts';
import { withoutMeaning, type SignalName, type Weights } from './presets.ts';
import {
  agree,
  fieldScore,
  fieldsOf,
  NEVER_SHOWN,
  utilityOf,
  valuesOf,
  wholeValues,
  type Fields,
  type Problem,
  type RecallCase,
} from './recall-case.ts';
import { Slots } from './slots.ts';
import { termsOf } from './terms.ts';
import { Vectors } from './vectors.ts';

export interface CaseQuery {
  readonly problem: Problem;
  /** Absent: cases are compared by words alone. */
  readonly vector?: TextVector | undefined;
  readonly weights: Weights;
  /** Cases with a lower score are not returned. 0 to 1. */
  readonly minScore?: number;
  readonly count: number;
  /** M, −∞ to ∞; 0: there is no experience. */
  readonly decisionOn?: (id: string) => number;
}

export interface FoundCase {
  readonly id: string;
  readonly score: number;
  /** Those that have a weight, each 0 to 1. */
  readonly signals: Readonly<Partial<Record<SignalName, number>>>;
  readonly decision: number;
  /** Terms of the problem that the case has. */
  readonly matched: readonly string[];
}

export interface FoundCases {
  /** Best first; ties in the order of ids. */
  readonly found: readonly FoundCase[];
  /** a, 0 to 1. 1: the problem has no vector. */
  readonly wordsTrusted: number;
}

/** Even a case with every term of a problem may mean something else. Source: libraries 3. */
const WORDS_TRUSTED_MAX = 0.9;

/** What experience can add to a score or take from it. */
const DECISION_PART = 0.25;

interface Entry {
  readonly recallCase: RecallCase;
  readonly fields: Fields;
}

/** Marks a term that is a whole value, such as a keyword of two words. */
const WHOLE = '=';

export class CaseIndex {
  readonly #slots = new Slots();
  readonly #entries: (Entry | undefined)[] = [];
  readonly #postings = new Postings();
  readonly #vectors = new Vectors();
  /** By slot: 1 for the newest case, 0 for the oldest; undefined since the cases changed. */
  #recency: Float64Array | undefined;

  get size(): number {
    return this.#slots.size;
  }

  /** A case with a known id replaces it. */
  add(recallCase: RecallCase, vector?: TextVector): void {
    this.remove(recallCase.id);
    const slot = this.#slots.take(recallCase.id);
    this.#entries[slot] = { recallCase, fields: fieldsOf(recallCase) };
    this.#postings.add(slot, caseTerms(recallCase));
    this.#vectors.set(slot, vector);
    this.#recency = undefined;
  }

  remove(id: string): void {
    const slot = this.#slots.release(id);
    const entry = slot === undefined ? undefined : this.#entries[slot];
    if (slot === undefined || entry === undefined) return;
    this.#entries[slot] = undefined;
    this.#postings.remove(slot, caseTerms(entry.recallCase));
    this.#recency = undefined;
  }

  find({ problem, vector, weights, minScore = 0, count, decisionOn = () => 0 }: CaseQuery): FoundCases {
    const terms = this.#termsOf(problem);
    const coverage = this.#coverage(terms);
    const wordsTrusted = vector === undefined ? 1 : WORDS_TRUSTED_MAX * greatest(coverage);
    const signalOf = this.#signals({ problem, vector, coverage, wordsTrusted });
    const weighed = Object.entries(vector === undefined ? withoutMeaning(weights) : weights) as [SignalName, number][];
    const best = new Best<number>(count);
    for (const [id, slot] of this.#slots.ids()) {
      let sum = 0;
      for (const [name, weight] of weighed) sum += weight * signalOf[name](slot);
      const score = sum * (1 + DECISION_PART * Math.tanh(decisionOn(id)));
      if (score > 0 && score >= minScore) best.offer({ item: slot, id, score });
    }
    const found = best.ranked().map(({ item: slot, id, score }): FoundCase => {
      const signals = Object.fromEntries(weighed.map(([name]) => [name, signalOf[name](slot)]));
      const matched = terms.filter((term) => this.#postings.has(term, slot)).map(toldTerm);
      return { id, score, signals, decision: decisionOn(id), matched };
    });
    return { found, wordsTrusted };
  }

  #signals(asked: {
    readonly problem: Problem;
    readonly vector: TextVector | undefined;
    readonly coverage: Float64Array;
    readonly wordsTrusted: number;
  }): Readonly<Record<SignalName, (slot: number) => number>> {
    const { problem, vector, coverage, wordsTrusted } = asked;
    const fields = fieldsOf(problem);
    const wholes = [...wholeValues(problem)].map((value) => WHOLE + value);
    const index = this.#sums(wholes, () => 1 / wholes.length);
    const meaning = vector === undefined ? new Float32Array(0) : this.#vectors.dots(vector, this.#slots.end);
    const recency = (this.#recency ??= this.#recencies());
    return {
      adaptive: (slot) => {
        const lexical = coverage[slot] ?? 0;
        const cosine = this.#vectors.has(slot) ? Math.max(0, meaning[slot] ?? 0) : lexical;
        return wordsTrusted * lexical + (1 - wordsTrusted) * cosine;
      },
      index: (slot) => index[slot] ?? 0,
      meaning: (slot) => Math.max(0, meaning[slot] ?? 0),
      field: (slot) => fieldScore(fields, this.#entries[slot]?.fields ?? fields),
      recency: (slot) => recency[slot] ?? 0,
      domain: (slot) => agree(fields.domain, this.#entries[slot]?.fields.domain ?? ''),
      utility: (slot) => utilityOf(this.#entries[slot]?.recallCase ?? NEVER_SHOWN),
    };
  }

  /** Whole values that a case has are compared as such; of others, and of the text where there are none, the words. */
  #termsOf(problem: Problem): readonly string[] {
    const values = valuesOf(problem);
    if (values.length === 0) return [...new Set(termsOf(problem.text))];
    return [
      ...new Set(
        values.flatMap((value) =>
          this.#postings.sizeOf(WHOLE + value) > 0 ? [WHOLE + value] : termsOf(value.replaceAll('_', ' ')),
        ),
      ),
    ];
  }

  /** The part of the terms' weight that each case has, by slot. */
  #coverage(terms: readonly string[]): Float64Array {
    const weights = new Map(terms.map((term) => [term, inverseFrequency(this.size, this.#postings.sizeOf(term))]));
    const whole = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
    return this.#sums(terms, (term) => (weights.get(term) ?? 0) / whole);
  }

  #sums(terms: readonly string[], weightOf: (term: string) => number): Float64Array {
    const sums = new Float64Array(this.#slots.end);
    for (const term of terms) {
      const weight = weightOf(term);
      this.#postings.each(term, (slot) => {
        sums[slot] = (sums[slot] ?? 0) + weight;
      });
    }
    return sums;
  }

  /** By rank, not by age: a pause in the work changes nothing. */
  #recencies(): Float64Array {
    const byAge = [...this.#slots.ids()]
      .map(([id, slot]) => ({ id, slot, writtenAtMs: this.#entries[slot]?.recallCase.writtenAtMs ?? 0 }))
      .toSorted((a, b) => a.writtenAtMs - b.writtenAtMs || (a.id < b.id ? -1 : 1));
    const recencies = new Float64Array(this.#slots.end);
    for (const [rank, { slot }] of byAge.entries()) recencies[slot] = byAge.length > 1 ? rank / (byAge.length - 1) : 1;
    return recencies;
  }
}

/** Its words, besides its whole values: a problem may name a value in other forms. */
function caseTerms(problem: Problem): ReadonlySet<string> {
  const values = [...valuesOf(problem), problem.text].join(' ').replaceAll('_', ' ');
  return new Set([...[...wholeValues(problem)].map((value) => WHOLE + value), ...termsOf(values)]);
}

function toldTerm(term: string): string {
  return term.startsWith(WHOLE) ? term.slice(WHOLE.length) : term;
}
