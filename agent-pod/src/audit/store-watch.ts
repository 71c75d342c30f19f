/**
 * What the auditor knows of one store between two looks, and when a head is kept. Pure.
 *
 * I1  A head is kept only of what has stood for {@link SETTLE_MS}: what a writer has not acknowledged yet may rightly vanish.
 * I2  At no time are both more than {@link HEAD_EVERY_RECORDS} records and more than 60 s of settled records without a head.
 *
 * Source: reliability-security 1 (heads to the auditor every 1,000 records or 60 s).
 */
import type { Head } from '@retainer/journal/journal';
import { freshPosition, type ChainPosition } from './walk-chain.ts';

export const HEAD_EVERY_RECORDS = 1000;
/** With {@link SETTLE_MS} and the pause between looks still within the 60 s. */
export const HEAD_EVERY_MS = 50_000;
/** A sync takes milliseconds and lazy stores sync within a second: five times that, and a line that stands was acknowledged. */
export const SETTLE_MS = 5_000;
/** Longest pause between two looks that keeps I2. */
export const LOOK_EVERY_MS_MAX = 5_000;

/** A segment as it was at the last look: any difference makes the whole store be walked again. */
export interface SegmentTrace {
  readonly file: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  readonly inode: number;
}

/** One pass over what was new. */
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
  /** The last place that has stood long enough. */
  readonly settled: ChainPosition;
  /** Not settled yet, oldest first. */
  readonly looks: readonly Look[];
  /** Settled, and not kept yet; oldest first. */
  readonly marks: readonly Head[];
  readonly lastKept: Head | undefined;
  /** On the monotonic clock; of the start where nothing was kept since. */
  readonly lastKeptAtMs: number;
  /** Sealed ones, in order. */
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

/** Moves what has stood long enough to the settled part. */
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

/** An end that was never acknowledged is gone: looks again from the last settled place. */
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

/** Kept heads of one store that are compared; the auditor's own record holds all of them. */
export const COMPARED_HEADS_MAX = 10_000;

/** Oldest first. Beyond the limit every second of the older half goes: old times are covered more coarsely. */
export function addHeads(heads: readonly Head[], more: readonly Head[]): readonly Head[] {
  const all = [...heads, ...more];
  if (all.length <= COMPARED_HEADS_MAX) return all;
  const half = Math.floor(all.length / 2);
  return addHeads(
    all.filter((_, index) => index >= half || index % 2 === 0),
    [],
  );
}
