/** Which records have a term, and how often. A record is a slot: a small number that is used again once the record is gone. */

/** How often a term counts at most: more weigh almost the same. A slot and its count share a number, 1 in 32 of its range. */
const COUNT_MAX = 31;
const COUNT_RANGE = COUNT_MAX + 1;

export class Postings {
  readonly #slots = new Map<string, number[]>();

  /** @param terms  of one record, repeated as in its text */
  add(slot: number, terms: Iterable<string>): void {
    for (const [term, count] of countsOf(terms)) {
      const entry = slot * COUNT_RANGE + Math.min(count, COUNT_MAX);
      const known = this.#slots.get(term);
      if (known === undefined) this.#slots.set(term, [entry]);
      else known.push(entry);
    }
  }

  remove(slot: number, terms: Iterable<string>): void {
    for (const term of new Set(terms)) {
      const left = this.#slots.get(term)?.filter((entry) => Math.floor(entry / COUNT_RANGE) !== slot) ?? [];
      if (left.length > 0) this.#slots.set(term, left);
      else this.#slots.delete(term);
    }
  }

  /** Number of records with the term. */
  sizeOf(term: string): number {
    return this.#slots.get(term)?.length ?? 0;
  }

  has(term: string, slot: number): boolean {
    return this.#slots.get(term)?.some((entry) => Math.floor(entry / COUNT_RANGE) === slot) ?? false;
  }

  each(term: string, take: (slot: number, count: number) => void): void {
    for (const entry of this.#slots.get(term) ?? []) take(Math.floor(entry / COUNT_RANGE), entry % COUNT_RANGE);
  }
}

function countsOf(terms: Iterable<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

/** How much a term tells: that of few records tells more. @returns above 0 */
export function inverseFrequency(records: number, withTerm: number): number {
  return Math.log(1 + (records - withTerm + 0.5) / (withTerm + 0.5));
}

/** 0 if all are below it. */
export function greatest(values: Float64Array): number {
  let best = 0;
  for (const value of values) if (value > best) best = value;
  return best;
}
