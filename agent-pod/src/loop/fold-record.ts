/**
 * Folds the record at a start: first a cached state, then the records after it.
 *
 * I1  Each record is read once, however many projections its store has.
 * I2  A record that a projection cannot take costs that projection this record, and nothing else.
 */
import type { JournalReader, JournalRecord } from '@retainer/journal/journal';
import type { Folded, Projections } from '@retainer/mind/projections/projections';
import type { ProjectionCache } from './projection-cache.ts';

/** The records of its store that one projection has not folded yet. */
interface Unseen {
  readonly row: Folded;
  readonly fromSeq: number;
  readonly fromTimeMs: number;
}

export interface Unread {
  /** Store, sequence and projection. */
  readonly where: string;
  readonly runId: string | undefined;
  readonly error: unknown;
}

/** @param nowMs  the end of each window of time */
export async function foldRecord(
  journal: Pick<JournalReader, 'read' | 'heads'>,
  projections: Projections,
  nowMs: number,
  cache?: ProjectionCache,
): Promise<readonly Unread[]> {
  const unread: Unread[] = [];
  const nextSeq = (await cache?.restore(projections.rows, journal)) ?? new Map<string, number>();
  const ends = new Map(journal.heads().map(({ store, seq }) => [store, seq]));
  const { open } = projections.states.runs;
  for (const store of new Set(projections.rows.map(({ projection }) => projection.store))) {
    const endSeq = ends.get(store);
    const unseen = projections.rows
      .filter(({ projection: { store: of, window } }) => of === store && (window !== 'OpenRuns' || open.size > 0))
      .map((row) => unseenBy(row, { nextSeq: nextSeq.get(row.name), endSeq, nowMs }))
      .filter(({ fromSeq }) => (endSeq ?? Infinity) >= fromSeq);
    if (unseen.length > 0) await readOnce(journal, unseen, { store, open, unread });
  }
  return unread;
}

interface Start {
  /** First sequence that the cached state has not seen; undefined: there is none. */
  readonly nextSeq: number | undefined;
  readonly endSeq: number | undefined;
  readonly nowMs: number;
}

function unseenBy(row: Folded, { nextSeq, endSeq = 0, nowMs }: Start): Unseen {
  const { window } = row.projection;
  if (nextSeq !== undefined || typeof window === 'string') return { row, fromSeq: nextSeq ?? 0, fromTimeMs: 0 };
  if ('lastMs' in window) return { row, fromSeq: 0, fromTimeMs: nowMs - window.lastMs };
  return { row, fromSeq: Math.max(0, endSeq + 1 - window.lastRecords), fromTimeMs: 0 };
}

interface Reading {
  readonly store: string;
  readonly open: ReadonlyMap<string, unknown>;
  readonly unread: Unread[];
}

async function readOnce(
  journal: Pick<JournalReader, 'read'>,
  unseen: readonly Unseen[],
  { store, open, unread }: Reading,
): Promise<void> {
  const range = {
    fromSeq: Math.min(...unseen.map((it) => it.fromSeq)),
    fromTimeMs: Math.min(...unseen.map((it) => it.fromTimeMs)),
  };
  for await (const record of journal.read(store, range))
    for (const it of unseen) if (isFor(it, record, open)) take(it.row, record, unread);
}

function take({ name, projection, state }: Folded, record: JournalRecord, unread: Unread[]): void {
  try {
    projection.take(state, record);
  } catch (error) {
    const { store, seq, runId } = record;
    unread.push({ where: `record ${store}/${seq} (${name})`, runId, error });
  }
}

function isFor(
  { row, fromSeq, fromTimeMs }: Unseen,
  { seq, timeMs, runId }: JournalRecord,
  openRuns: ReadonlyMap<string, unknown>,
): boolean {
  if (seq < fromSeq || timeMs < fromTimeMs) return false;
  return row.projection.window !== 'OpenRuns' || (runId !== undefined && openRuns.has(runId));
}
