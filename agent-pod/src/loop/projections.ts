/**
 * What the running agent keeps in memory of its record: open commands, open runs and cycles, facts, where artifacts lie.
 *
 * Everything here can be thrown away: `foldProjections` makes it again from the journal, faster from a cached state.
 */
import type { CycleEvent } from '@retainer/mind/cycle/event';
import type { JournalReader, JournalRecord } from '@retainer/journal/journal';
import type { StoredFact } from '@retainer/mind/memory/facts';
import type { Command } from '@retainer/mind/run/inbox';
import { MegramIndex, type MegramEvent } from '@retainer/mind/memory/megrams';
import type { RunEvent } from '@retainer/mind/run/event';

export interface OpenRun {
  readonly fromSeq: number;
  readonly events: RunEvent[];
}

export interface OpenCycle {
  readonly runId: string;
  readonly fromSeq: number;
  readonly events: CycleEvent[];
}

export class Projections {
  /** Origins that were ever accepted. */
  readonly origins = new Set<string>();
  /** Accepted and not done, oldest first. */
  readonly commands = new Map<string, Command>();
  readonly facts = new Map<string, StoredFact>();
  /** Sequence of the record that holds the artifact. */
  readonly artifacts = new Map<string, number>();
  /** Every run that was ever admitted. */
  readonly runIds = new Set<string>();
  readonly runs = new Map<string, OpenRun>();
  readonly cycles = new Map<string, OpenCycle>();
  readonly megrams = new MegramIndex();
  /** Next sequence to fold, by store. */
  readonly nextSeq = new Map<string, number>();

  /** Takes one record, in the order of its store. */
  take(record: JournalRecord): void {
    this.nextSeq.set(record.store, record.seq + 1);
    switch (record.store) {
      case 'inbox':
        return this.#takeCommand(record);
      case 'run':
        return this.#takeRun(record);
      case 'cycle':
        return this.#takeCycle(record);
      case 'fact':
        return this.#takeFact(record);
      case 'megram':
        return this.megrams.take(eventOf<MegramEvent>(record));
      case 'artifact':
        if (record.kind === 'ArtifactKept') this.artifacts.set(fields(record)['artifactId'] as string, record.seq);
        return undefined;
      default:
        return undefined;
    }
  }

  /** Forgets a closed run and its cycles. */
  closeRun(runId: string): void {
    this.runs.delete(runId);
    for (const [cycleId, cycle] of this.cycles) if (cycle.runId === runId) this.cycles.delete(cycleId);
  }

  #takeCommand(record: JournalRecord): void {
    const payload = fields(record);
    const originId = payload['originId'] as string;
    if (record.kind === 'CommandDone') this.commands.delete(originId);
    if (record.kind !== 'CommandAccepted') return;
    this.origins.add(originId);
    this.commands.set(originId, payload['command'] as Command);
  }

  #takeRun(record: JournalRecord): void {
    const { runId } = record;
    if (runId === undefined) return;
    this.runIds.add(runId);
    if (record.kind === 'RunClosed') return this.closeRun(runId);
    const open = this.runs.get(runId) ?? { fromSeq: record.seq, events: [] };
    open.events.push(eventOf<RunEvent>(record));
    this.runs.set(runId, open);
  }

  #takeCycle(record: JournalRecord): void {
    const { cycleId, runId } = record;
    if (cycleId === undefined || runId === undefined) return;
    const open = this.cycles.get(cycleId) ?? { runId, fromSeq: record.seq, events: [] };
    open.events.push(eventOf<CycleEvent>(record));
    this.cycles.set(cycleId, open);
  }

  #takeFact(record: JournalRecord): void {
    if (record.kind !== 'FactWritten') return;
    const { key, value, label } = fields(record) as unknown as StoredFact;
    const labelled = label === undefined ? {} : { label };
    this.facts.set(key, { key, value, writtenAtMs: record.timeMs, ...labelled });
  }
}

/** Stores that are folded, in the order of the agent's life: a run closes after its cycles ended. */
export const projectedStores: readonly string[] = ['inbox', 'fact', 'artifact', 'megram', 'cycle', 'run'];

/** Folds what `projections` has not seen yet. */
export async function foldProjections(journal: JournalReader, projections: Projections): Promise<void> {
  const ends = new Map(journal.heads().map((head) => [head.store, head.seq]));
  for (const store of projectedStores) {
    const fromSeq = projections.nextSeq.get(store) ?? 0;
    if ((ends.get(store) ?? Infinity) < fromSeq) continue;
    for await (const record of journal.read(store, { fromSeq })) projections.take(record);
  }
  // A cycle that outlived its run: nobody waits for it any more.
  for (const [cycleId, { runId }] of projections.cycles) {
    if (!projections.runs.has(runId)) projections.cycles.delete(cycleId);
  }
}

/** A record of a machine's store as the event that it is. */
export function eventOf<Event>(record: JournalRecord): Event {
  return { kind: record.kind, ...fields(record) } as Event;
}

function fields(record: JournalRecord): Record<string, unknown> {
  return record.payload as Record<string, unknown>;
}
