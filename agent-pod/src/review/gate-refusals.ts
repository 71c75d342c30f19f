/** Refusals of the gates, as people name them: by the record that holds the verdict. */
import type { JournalReader } from '@retainer/journal/journal';
import type { CycleEvent } from '@retainer/mind/cycle/event';
import { FalsePositiveNote, REPORT_TOOL } from '@retainer/mind/gate/meta/agents-note';
import { refusalOf, type RefusalId } from '@retainer/mind/gate/meta/overruled';
import { readableEvent } from './run-records.ts';

export interface GateRefusal extends RefusalId {
  /** As `retainer explain` prints it: `cycle/1234`. */
  readonly record: string;
  readonly runId: string;
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  /** Why the agent itself calls it wrong. It is no person's report, and changes nothing. */
  readonly agentsView?: string;
}

/** Newest last. */
export async function gateRefusals(reader: JournalReader): Promise<readonly GateRefusal[]> {
  const refusals: GateRefusal[] = [];
  const notes = new AgentsNotes();
  for await (const entry of reader.read('cycle')) {
    const event = readableEvent<CycleEvent>(entry);
    const { cycleId, runId } = entry;
    if (event !== undefined) notes.take(event);
    if (event?.kind !== 'GateDecided' || event.verdict !== 'Reject' || cycleId === undefined || runId === undefined)
      continue;
    const record = `cycle/${entry.seq}`;
    refusals.push({ record, runId, reason: event.reason, atMs: entry.timeMs, ...refusalOf(cycleId, event) });
  }
  // A note comes after what it is about.
  return refusals.map((refusal) => withView(refusal, notes.reasonOf(refusal)));
}

function withView(refusal: GateRefusal, agentsView: string | undefined): GateRefusal {
  return agentsView === undefined ? refusal : { ...refusal, agentsView };
}

/** What the agent itself called wrong: the calls of its tool that were answered. */
class AgentsNotes {
  readonly #asked = new Map<string, FalsePositiveNote>();
  readonly #reasons = new Map<string, string>();

  take(event: CycleEvent): void {
    const note = event.kind === 'ToolRequested' && event.tool === REPORT_TOOL ? noteIn(event.input) : undefined;
    if (event.kind === 'ToolRequested' && note !== undefined) this.#asked.set(event.callId, note);
    if (event.kind !== 'ToolFinished' || event.outcome.status !== 'Ok') return;
    const noted = this.#asked.get(event.callId);
    if (noted !== undefined) this.#reasons.set(keyOf({ ...noted, cycleId: noted.cycle }), noted.reason);
  }

  reasonOf(refusal: Pick<RefusalId, 'cycleId' | 'gate' | 'rule'>): string | undefined {
    return this.#reasons.get(keyOf(refusal));
  }
}

function noteIn(input: unknown): FalsePositiveNote | undefined {
  return FalsePositiveNote.safeParse(input).data;
}

function keyOf({ cycleId, gate, rule }: Pick<RefusalId, 'cycleId' | 'gate' | 'rule'>): string {
  return JSON.stringify([cycleId, gate, rule]);
}
