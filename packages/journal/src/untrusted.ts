/**
 * The part of a store that contradicts heads which were seen before: which of its records were written by whom, nobody can tell.
 *
 * The chain up to the last head that still fits is proved by it. From there to the last head that does not fit, any record may be
 * another one than it was.
 *
 * Source: reliability-security 1 (opening; heads to the auditor).
 */
import { parseHead } from './codec.ts';
import { missingHeads, type StorePlace } from './compare-heads.ts';
import type { Head } from './journal.ts';
import { readFully } from './line-reader.ts';

/** Both ends inclusive. */
export interface UntrustedRange {
  readonly fromSeq: number;
  readonly toSeq: number;
}

/**
 * Undefined where every head up to the end of the store fits. Heads beyond its end are those of records that are missing.
 *
 * @param lastSeq  of the store
 */
export async function untrustedRange(
  place: StorePlace,
  heads: readonly Head[],
  lastSeq: number,
): Promise<UntrustedRange | undefined> {
  const own = heads.filter(({ store, seq }) => store === place.store && seq <= lastSeq);
  const missing = await missingHeads(place, own);
  const [first] = missing;
  if (first === undefined) return undefined;
  const fits = own.filter((head) => head.seq < first.seq && !missing.includes(head)).map(({ seq }) => seq);
  return { fromSeq: Math.max(-1, ...fits) + 1, toSeq: Math.max(...missing.map(({ seq }) => seq)) };
}

export function isUntrusted(range: UntrustedRange | undefined, seq: number): boolean {
  return range !== undefined && range.fromSeq <= seq && seq <= range.toSeq;
}

/** The segments that hold records of the range. @param segments  of the store, in order */
export async function segmentsOf(
  { fileSystem, directory, store }: StorePlace,
  segments: readonly string[],
  range: UntrustedRange,
): Promise<readonly string[]> {
  const firsts: number[] = [];
  for (const segment of segments) {
    const file = await fileSystem.open(`${directory}/${store}/${segment}`, 'read');
    try {
      firsts.push(parseHead(await readFully(file, 0, FRONT_BYTES))?.seq ?? 0);
    } finally {
      await file.close();
    }
  }
  return segments.filter((_, at) => (firsts[at] ?? 0) <= range.toSeq && (firsts[at + 1] ?? Infinity) > range.fromSeq);
}

/** The front members of a line. */
const FRONT_BYTES = 512;
