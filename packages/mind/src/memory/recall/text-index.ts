/**
 * Finds records of free text: narrative, facts, threads, artifacts, letters.
 *
 *     lexical = BM25 + ½ BM25 of the record before and of the one after + ½ BM25 of the whole group, divided by the best
 *     meaning = .6 cosine + .4 cosine of the record with its neighbours
 *     score   = (a · lexical + (1 − a) · meaning) · weight,  a = .9 × the best coverage of the query
 *
 * A group is a run or a thread; its records stand in the order in which they were added. Where a question stands here, its
 * answer is next to it: so what is found is handed over with its neighbours. Coverage is the part of the query that one record
 * has, each term by its inverse frequency: words are trusted as far as they are found.
 *
 * Source: libraries 3 (coverage-adaptive); springdrift 5. Differs: neighbours and group count, as measured in docs/memory.md.
 */
import type { TextVector } from '../../meaning/text-vector.ts';
import { Best } from './best.ts';
import { greatest, inverseFrequency, Postings } from './postings.ts';
import { Slots } from './slots.ts';
import { termsOf } from './terms.ts';
import { Vectors } from './vectors.ts';

export interface TextRecord {
  readonly id: string;
  readonly text: string;
  /** When it was, in words that a question may use. */
  readonly when?: string;
  /** Run or thread; absent: the record stands alone. */
  readonly group?: string;
}

export interface TextQuery {
  readonly text: string;
  /** Absent: records are compared by words alone. */
  readonly vector?: TextVector | undefined;
  readonly count: number;
  /** Records with a lower score are not returned. */
  readonly minScore?: number;
  /** 0 to 1, such as the confidence that is left in a fact; 0 leaves the record out. */
  readonly weightOf?: (id: string) => number;
}

export interface FoundText {
  readonly id: string;
  readonly score: number;
  /** Each 0 to 1. */
  readonly signals: { readonly lexical: number; readonly meaning: number; readonly weight: number };
  /** Terms of the query that the record has, in the order of the query. */
  readonly matched: readonly string[];
  /** Ids of the records before and after it in its group. */
  readonly neighbours: readonly string[];
}

export interface FoundTexts {
  /** Best first; ties in the order of ids. */
  readonly found: readonly FoundText[];
  /** a, 0 to 1. 1: the query has no vector. */
  readonly wordsTrusted: number;
}

/** How soon more of the same term counts no more. Source: libraries 3 (BM25). */
const K1 = 1.2;
/** How far a long record must have a term more often. Source: libraries 3 (BM25). */
const B = 0.75;
const NEIGHBOUR_PART = 0.5;
/** At .3 one question in a hundred is found less often, in each of four conversations. */
const GROUP_PART = 0.5;
const OWN_MEANING = 0.6;
const CONTEXT_MEANING = 0.4;
/** Even a record with every word of a query may mean something else. */
const WORDS_TRUSTED_MAX = 0.9;

const NONE = -1;

interface Entry {
  readonly record: TextRecord;
  /** Number of terms. */
  readonly length: number;
  /** Slot of the group, or `NONE`. */
  readonly group: number;
  /** Slots of the neighbours in the group, or `NONE`. */
  before: number;
  after: number;
}

interface Group {
  records: number;
  /** Number of terms. */
  length: number;
  /** Slot of the newest record. */
  last: number;
}

export class TextIndex {
  readonly #slots = new Slots();
  readonly #entries: (Entry | undefined)[] = [];
  readonly #groupSlots = new Slots();
  readonly #groups: Group[] = [];
  readonly #postings = new Postings();
  readonly #vectors = new Vectors();
  /** By slot; undefined: not known since its neighbours changed. */
  readonly #contextLengths: (number | undefined)[] = [];
  /** Number of terms of all records, and of those in groups. */
  #length = 0;
  #groupedLength = 0;

  get size(): number {
    return this.#slots.size;
  }

  /** A record with a known id replaces it, at the end of its group. */
  add(record: TextRecord, vector?: TextVector): void {
    this.remove(record.id);
    const slot = this.#slots.take(record.id);
    const terms = termsIn(record);
    const entry: Entry = { record, length: terms.length, group: this.#join(record), before: NONE, after: NONE };
    this.#entries[slot] = entry;
    this.#postings.add(slot, terms);
    this.#vectors.set(slot, vector);
    this.#contextLengths[slot] = undefined;
    this.#length += entry.length;
    const group = this.#groups[entry.group];
    if (group === undefined) return;
    entry.before = group.last;
    this.#link(entry.before, slot);
    group.records += 1;
    group.length += entry.length;
    group.last = slot;
    this.#groupedLength += entry.length;
  }

  remove(id: string): void {
    const slot = this.#slots.release(id);
    const entry = slot === undefined ? undefined : this.#entries[slot];
    if (slot === undefined || entry === undefined) return;
    this.#entries[slot] = undefined;
    this.#postings.remove(slot, termsIn(entry.record));
    this.#length -= entry.length;
    this.#link(entry.before, entry.after);
    const group = this.#groups[entry.group];
    if (group === undefined) return;
    if (group.last === slot) group.last = entry.before;
    group.records -= 1;
    group.length -= entry.length;
    this.#groupedLength -= entry.length;
    if (group.records === 0) this.#groupSlots.release(entry.record.group ?? '');
  }

  find({ text, vector, count, minScore = 0, weightOf = () => 1 }: TextQuery): FoundTexts {
    const terms = [...new Set(termsOf(text))];
    const { lexical, coverage } = this.#lexical(terms);
    const wordsTrusted = vector === undefined ? 1 : WORDS_TRUSTED_MAX * coverage;
    const meaning = this.#meaning(vector);
    const best = new Best<number>(count);
    for (const [id, slot] of this.#slots.ids()) {
      const said = wordsTrusted * (lexical[slot] ?? 0) + (1 - wordsTrusted) * (meaning[slot] ?? 0);
      const score = said > 0 ? said * weightOf(id) : 0;
      if (score > 0 && score >= minScore) best.offer({ item: slot, id, score });
    }
    const found = best.ranked().map(({ item: slot, id, score }): FoundText => {
      const signals = { lexical: lexical[slot] ?? 0, meaning: meaning[slot] ?? 0, weight: weightOf(id) };
      const matched = terms.filter((term) => this.#postings.has(term, slot));
      return { id, score, signals, matched, neighbours: this.#neighbours(slot) };
    });
    return { found, wordsTrusted };
  }

  /** Part of the best, by slot; and the best coverage of one record. */
  #lexical(terms: readonly string[]): { readonly lexical: Float64Array; readonly coverage: number } {
    const own = new Float64Array(this.#slots.end);
    const covered = new Float64Array(this.#slots.end);
    const ofGroups = new Float64Array(this.#groupSlots.end);
    const lengthMean = this.#length / Math.max(1, this.size);
    let asked = 0;
    for (const term of terms) {
      const weight = inverseFrequency(this.size, this.#postings.sizeOf(term));
      const inGroups = new Map<number, number>();
      asked += weight;
      this.#postings.each(term, (slot, count) => {
        const { length, group } = this.#entries[slot] ?? { length: 0, group: NONE };
        own[slot] = (own[slot] ?? 0) + weight * saturated(count, length / lengthMean);
        covered[slot] = (covered[slot] ?? 0) + weight;
        if (group !== NONE) inGroups.set(group, (inGroups.get(group) ?? 0) + count);
      });
      this.#addGroups(ofGroups, inGroups);
    }
    const lexical = own.map(
      (score, slot) =>
        this.#around(own, slot, score, NEIGHBOUR_PART) +
        GROUP_PART * (ofGroups[this.#entries[slot]?.group ?? NONE] ?? 0),
    );
    const best = greatest(lexical);
    return {
      lexical: best > 0 ? lexical.map((score) => score / best) : lexical,
      coverage: asked > 0 ? greatest(covered) / asked : 0,
    };
  }

  #addGroups(scores: Float64Array, counts: ReadonlyMap<number, number>): void {
    const weight = inverseFrequency(this.#groupSlots.size, counts.size);
    const lengthMean = this.#groupedLength / Math.max(1, this.#groupSlots.size);
    for (const [group, count] of counts) {
      const { length } = this.#groups[group] ?? { length: 0 };
      scores[group] = (scores[group] ?? 0) + weight * saturated(count, length / lengthMean);
    }
  }

  /** By slot, 0 to 1. */
  #meaning(vector: TextVector | undefined): Float32Array {
    if (vector === undefined) return new Float32Array(this.#slots.end);
    const cosines = this.#vectors.dots(vector, this.#slots.end);
    return cosines.map((cosine, slot) => {
      const context = this.#around(cosines, slot, cosine, 1) / this.#contextLength(slot);
      return Math.max(0, OWN_MEANING * cosine + CONTEXT_MEANING * context);
    });
  }

  /** Length of the sum of the vectors of a record and its neighbours. */
  #contextLength(slot: number): number {
    const known = this.#contextLengths[slot];
    if (known !== undefined) return known;
    const entry = this.#entries[slot];
    const members = [entry?.before ?? NONE, slot, entry?.after ?? NONE].filter((it) => it !== NONE);
    const square = members.flatMap((a) => members.map((b) => this.#vectors.dot(a, b))).reduce((sum, it) => sum + it, 0);
    // A sum of nothing has no direction: its cosine is 0, whatever it is divided by.
    const length = square > 0 ? Math.sqrt(square) : 1;
    this.#contextLengths[slot] = length;
    return length;
  }

  /** A record's value and a part of each neighbour's. */
  #around(values: Float32Array | Float64Array, slot: number, own: number, part: number): number {
    const entry = this.#entries[slot];
    return own + part * ((values[entry?.before ?? NONE] ?? 0) + (values[entry?.after ?? NONE] ?? 0));
  }

  #neighbours(slot: number): readonly string[] {
    const { before, after } = this.#entries[slot] ?? { before: NONE, after: NONE };
    return [before, after].flatMap((it) => this.#entries[it]?.record.id ?? []);
  }

  #join({ group: name }: TextRecord): number {
    if (name === undefined) return NONE;
    const known = this.#groupSlots.of(name);
    if (known !== undefined) return known;
    const slot = this.#groupSlots.take(name);
    this.#groups[slot] = { records: 0, length: 0, last: NONE };
    return slot;
  }

  /** Makes two slots neighbours; `NONE` is the end of a group. */
  #link(before: number, after: number): void {
    const [earlier, later] = [this.#entries[before], this.#entries[after]];
    if (earlier !== undefined) earlier.after = after;
    if (later !== undefined) later.before = before;
    for (const slot of [before, after]) if (slot !== NONE) this.#contextLengths[slot] = undefined;
  }
}

function termsIn({ text, when = '' }: TextRecord): readonly string[] {
  return termsOf(when === '' ? text : `${text} ${when}`);
}

/** @param lengthRatio  length of the record to the mean */
function saturated(count: number, lengthRatio: number): number {
  return (count * (K1 + 1)) / (count + K1 * (1 - B + B * lengthRatio));
}
