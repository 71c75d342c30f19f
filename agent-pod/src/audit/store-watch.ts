/**
 * The auditor's state of one store between two looks, and the schedule of its heads. Pure.
 *
 * I1  A head covers only records unchanged for {@link SETTLE_MS}, because a writer may remove unacknowledged ones.
 * I2  At no time are both more than {@link HEAD_EVERY_RECORDS} records and more than 60 s of settled records without a head.
 *
 * Source: reliability-security 1 (heads to the auditor every 1,000 records or 60 s).
 */
import type { Head } from '@retainer/journal/journal';
import { freshPosition, type ChainPosition } from './walk-chain.ts';

export const HEAD_EVERY_RECORDS = 1000;
/** Within the 60 s even after adding {@link SETTLE_MS} and the pause between looks. */
export const HEAD_EVERY_MS = 50_000;
/** A sync takes milliseconds and lazy stores sync within a second. After five times that, a line is acknowledged. */
export const SETTLE_MS = 5_000;
/** Longest pause between looks that satisfies I2. */
export const LOOK_EVERY_MS_MAX = 5_000;

/** A segment at the last look. After any difference the auditor walks the whole store. */
export interface SegmentTrace {
  readonly file: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** Of the inode: unlike the other time, nobody can set it back. */
  readonly changedMs: number;
  readonly inode: number;
}

export interface Look {
  readonly atMs: number;
  readonly position: ChainPosition;
  /** Every {@link HEAD_EVERY_RECORDS}th record. */
  readonly marks: readonly Head[];
}

export interface StoreWatch {
  readonly store: string;
  /** Where the next look starts. */
  readonly seen: ChainPosition;
  /** The last position unchanged for long enough. */
  readonly settled: ChainPosition;
  /** Unsettled, oldest first. */
  readonly looks: readonly Look[];
  /** Settled but not kept, oldest first. */
  readonly marks: readonly Head[];
  readonly lastKept: Head | undefined;
  /** Monotonic clock. Negative infinity before the first, so that a head is due at once. */
  readonly lastKeptAtMs: number;
  /** In order. */
  readonly sealed: readonly SegmentTrace[];
}

export function newWatch(store: string, lastKept: Head | undefined): StoreWatch {
  return {
    store,
    seen: freshPosition,
    settled: freshPosition,
    looks: [],
    marks: [],
    lastKept,
    lastKeptAtMs: Number.NEGATIVE_INFINITY,
    sealed: [],
  };
}

export function afterLook(watch: StoreWatch, look: Look, sealed: readonly SegmentTrace[]): StoreWatch {
  const isNew = look.position.endBytes !== watch.seen.endBytes || look.position.segment !== watch.seen.segment;
  return { ...watch, seen: look.position, looks: isNew ? [...watch.looks, look] : watch.looks, sealed };
}

/** Moves looks that are old enough to the settled part. */
export function settle(watch: StoreWatch, nowMs: number, standMs: number): StoreWatch {
  const settled = watch.looks.filter(({ atMs }) => nowMs - atMs >= standMs);
  const last = settled.at(-1);
  if (last === undefined) return watch;
  return {
    ...watch,
    settled: last.position,
    looks: watch.looks.slice(settled.length),
    marks: [...watch.marks, ...settled.flatMap(({ marks }) => marks)],
  };
}

/** Returns to the last settled position, after a writer removed its unacknowledged tail. */
export function rewind(watch: StoreWatch): StoreWatch {
  return { ...watch, seen: watch.settled, looks: [] };
}

export function headOf(store: string, position: ChainPosition): Head | undefined {
  const { lastSeq, lastHash, epoch } = position;
  return lastSeq < 0 ? undefined : { store, seq: lastSeq, hash: lastHash, epoch };
}

/** Oldest first; empty when none is due. */
export function headsDue(watch: StoreWatch, nowMs: number): readonly Head[] {
  const end = headOf(watch.store, watch.settled);
  const last = watch.marks.at(-1) ?? watch.lastKept;
  const isNew = end !== undefined && (end.seq !== last?.seq || end.hash !== last.hash);
  const isDue = watch.marks.length > 0 || nowMs - watch.lastKeptAtMs >= HEAD_EVERY_MS;
  return isNew && isDue ? [...watch.marks, end] : watch.marks;
}

export function afterKeeping(watch: StoreWatch, kept: readonly Head[], nowMs: number): StoreWatch {
  const last = kept.at(-1);
  return last === undefined ? watch : { ...watch, marks: [], lastKept: last, lastKeptAtMs: nowMs };
}

/** Heads compared per store; the auditor's own record holds all of them. */
export const COMPARED_HEADS_MAX = 10_000;

/**
 * Oldest first. Beyond the limit it drops every second head of the older half, but none at a pinned sequence. Each was compared when
 * it was kept and at each change since, so one that is dropped was in place; and whoever rewrites later contradicts the newer ones.
 *
 * @param pinned  sequences at which a head was not in place: those stay for ever
 */
export function addHeads(
  heads: readonly Head[],
  more: readonly Head[],
  pinned: ReadonlySet<number> = new Set(),
): readonly Head[] {
  const all = [...heads, ...more];
  if (all.length <= COMPARED_HEADS_MAX) return all;
  const half = Math.floor(all.length / 2);
  const kept = all.filter(({ seq }, index) => index >= half || index % 2 === 0 || pinned.has(seq));
  return kept.length === all.length ? all : addHeads(kept, [], pinned);
}
