/** Refusals of the gates, as people name them: by the record that holds the verdict. */
import type { JournalReader } from '@retainer/journal/journal';
import type { CycleEvent } from '@retainer/mind/cycle/event';
import { refusalOf, type RefusalId } from '@retainer/mind/gate/meta/overruled';
import { readableEvent } from './run-records.ts';

export interface GateRefusal extends RefusalId {
  /** As `retainer explain` prints it: `cycle/1234`. */
  readonly record: string;
  readonly runId: string;
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/** Newest last. */
export async function gateRefusals(reader: JournalReader): Promise<readonly GateRefusal[]> {
  const refusals: GateRefusal[] = [];
  for await (const entry of reader.read('cycle')) {
    const event = readableEvent<CycleEvent>(entry);
    const { cycleId, runId } = entry;
    if (event?.kind !== 'GateDecided' || event.verdict !== 'Reject' || cycleId === undefined || runId === undefined)
      continue;
    const record = `cycle/${entry.seq}`;
    refusals.push({ record, runId, reason: event.reason, atMs: entry.timeMs, ...refusalOf(cycleId, event) });
  }
  return refusals;
}
