/**
 * The gaps of a journal: the places where a repair gave up records, on a person's decision. The record tells them for ever.
 *
 * Source: reliability-security 1 (opening).
 */
import type { z } from 'zod';
import { decodeLine } from './codec.ts';
import type { JournalReader, JournalRecord } from './journal.ts';
import { commonKinds } from './stores.ts';

export { renderOrders } from './orders.ts';

export interface RecordedGap extends z.infer<typeof commonKinds.Gap.schema> {
  readonly store: string;
  /** Of the gap's own record: the first one that is lost. */
  readonly seq: number;
  readonly order: number;
  readonly atMs: number;
  /** Who decided on the repair. */
  readonly principal: string;
}

/** A gap from its line, whose hash was checked; undefined where it is none. */
export function readGap(line: Buffer): RecordedGap | undefined {
  const decoded = decodeLine(line);
  if (!decoded.ok || !('payload' in decoded.value.content)) return undefined;
  return gapOf({ ...decoded.value.record, payload: decoded.value.content.payload });
}

function gapOf({ kind, payload, store, seq, order, timeMs, principal }: JournalRecord): RecordedGap | undefined {
  if (kind !== 'Gap') return undefined;
  const parsed = commonKinds.Gap.schema.safeParse(payload);
  return parsed.success ? { ...parsed.data, store, seq, order, atMs: timeMs, principal } : undefined;
}

/** All gaps, by store. Reads every record. */
export async function gapsOf(reader: JournalReader): Promise<readonly RecordedGap[]> {
  const gaps: RecordedGap[] = [];
  for (const store of reader.stores)
    for await (const record of reader.read(store)) {
      const gap = gapOf(record);
      if (gap !== undefined) gaps.push(gap);
    }
  return gaps;
}

export interface RunSpan {
  readonly runId: string;
  /** Orders of its first and its last record. */
  readonly firstOrder: number;
  /** Infinite while the run is under way. */
  readonly lastOrder: number;
}

/** Whether a gap may have held records of the run. One that does not say what it lost may have held anything. */
export function touchesRun(gap: RecordedGap, { runId, firstOrder, lastOrder }: RunSpan): boolean {
  if (gap.lostFromSeq === undefined) return false;
  if (gap.lostOrders === undefined || gap.runs?.includes(runId) === true) return true;
  return gap.lostOrders.some(({ from, to }) => from <= lastOrder && to >= firstOrder);
}
