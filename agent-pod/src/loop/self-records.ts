/**
 * The agent's own record, read when it asks for itself. Nothing is kept between two questions.
 *
 * I1  Records are read one at a time, from the beginning of the oldest run that is asked for, and the loop goes on in between.
 */
import type { Clock } from '@retainer/contract/std/clock';
import type { JournalReader, JournalRecord, ReadRange } from '@retainer/journal/journal';
import { affectKinds } from '@retainer/mind/parts/affect/affect';
import { daySummarizer, emptyDay, SUMMARY_STORES, type DaySummary } from '@retainer/mind/explain/audit/day-summary';
import { utcDate } from '@retainer/contract/std/utc-date';
import { isAbout, rememberingStores } from '@retainer/mind/parts/derived';
import { runsTold, type StoredCase } from '@retainer/mind/parts/cases/cases';
import type { CycleSpec } from '@retainer/mind/cycle/event';
import type { CycleState } from '@retainer/mind/cycle/state';
import { runAfter, type RememberedRun } from '@retainer/mind/parts/narrative/narrative';
import type { LabelledThread } from '@retainer/mind/parts/threads/threads';
import { cycleTrees, type CycleNode } from '@retainer/mind/projections/cycle-nodes';
import type { Projections } from '@retainer/mind/projections/projections';
import type { RunState } from '@retainer/mind/run/state';
import type { MeasuredOf } from '@retainer/mind/self/activity';
import { beforeCall, type Asking } from '@retainer/mind/self/cycles';
import type { SelfPort } from '../ports/self.ts';
import type { Recall } from './recall.ts';
import { pauses } from './pauses.ts';

/** Records of the narrative for each run that is asked for: its entry, its reflection, and as many words of people again. */
const NARRATIVE_RECORDS_PER_RUN = 4;

const DAY_MS = 86_400_000;

export interface SelfRecordParts {
  readonly journal: Pick<JournalReader, 'read' | 'heads'>;
  readonly memory: { readonly known: Projections['states']; readonly texts: Pick<Recall, 'caseIds'> };
  readonly runtime: { openRuns(): readonly RunState[]; openCycles(): readonly CycleState[] };
  /** Undefined while the agent is stopped. */
  readonly keeper: () => { now(spec: CycleSpec): string } | undefined;
  readonly clock: Pick<Clock, 'nowMs'>;
}

export class SelfRecords implements SelfPort {
  readonly #parts: SelfRecordParts;

  constructor(parts: SelfRecordParts) {
    this.#parts = parts;
  }

  nowMs(): number {
    return this.#parts.clock.nowMs();
  }

  async runs(count: number): Promise<readonly RememberedRun[]> {
    const runs = new Map<string, RememberedRun>();
    for await (const { kind, payload, runId = '' } of this.#tail('narrative', count * NARRATIVE_RECORDS_PER_RUN)) {
      if (kind === 'RunImported') continue;
      const run = runAfter(runs.get(runId), { kind, payload, runId });
      if (run === undefined) runs.delete(runId);
      else runs.set(runId, run);
    }
    return [...runs.values()].slice(-count);
  }

  async trees(asking: Asking, count: number): Promise<readonly CycleNode[]> {
    const started = [...(await this.runs(count)), ...this.#parts.runtime.openRuns()].map(
      ({ startedAtMs }) => startedAtMs,
    );
    const trees = cycleTrees();
    const fromTimeMs = Math.min(this.#parts.clock.nowMs(), ...started);
    for await (const record of this.#work(asking, { fromTimeMs })) trees.take(record);
    return trees.nodes();
  }

  async day(asking: Asking, day = utcDate(this.#parts.clock.nowMs())): Promise<DaySummary> {
    const days = new Map<string, DaySummary>();
    const take = daySummarizer(days, utcDate);
    const fromTimeMs = Date.parse(`${day}T00:00:00Z`);
    for await (const record of this.#work(asking, { fromTimeMs, toTimeMs: fromTimeMs + DAY_MS })) take(record);
    return days.get(day) ?? emptyDay(day);
  }

  threads(): readonly LabelledThread[] {
    return [...this.#parts.memory.known.threads.byId.values()];
  }

  async cases(query: string, count: number): Promise<readonly StoredCase[]> {
    const { memory } = this.#parts;
    const ids = await memory.texts.caseIds(query, count);
    return ids.flatMap((id) => memory.known.cases.byId.get(id) ?? []);
  }

  runsTold(): ReadonlySet<string> {
    return runsTold(this.#parts.memory.known.cases);
  }

  async trace(id: string): Promise<readonly JournalRecord[]> {
    const found: JournalRecord[] = [];
    for (const store of rememberingStores)
      for await (const record of this.#read(store)) if (isAbout(record, id)) found.push(record);
    return found.toSorted((a, b) => a.order - b.order);
  }

  async affect(count: number): Promise<readonly MeasuredOf[]> {
    const measured: MeasuredOf[] = [];
    for await (const { kind, payload, runId = '', cycleId = runId } of this.#tail('affect', count))
      if (kind === 'AffectMeasured') measured.push({ ...affectKinds.AffectMeasured.parse(payload), of: cycleId });
    return measured;
  }

  now(cycleId: string): string | undefined {
    const { runtime, keeper } = this.#parts;
    const spec = runtime.openCycles().find((it) => it.spec.cycleId === cycleId)?.spec;
    return spec === undefined ? undefined : keeper()?.now(spec);
  }

  /** Runs first, so that a cycle is known before what it did. */
  async *#work(asking: Asking, range: ReadRange): AsyncGenerator<JournalRecord> {
    const isBefore = beforeCall(asking);
    for (const store of SUMMARY_STORES)
      for await (const record of this.#read(store, range)) if (isBefore(record)) yield record;
  }

  #tail(store: string, records: number): AsyncGenerator<JournalRecord> {
    const head = this.#parts.journal.heads().find((it) => it.store === store);
    return this.#read(store, { fromSeq: Math.max(0, (head?.seq ?? 0) - records + 1) });
  }

  async *#read(store: string, range?: ReadRange): AsyncGenerator<JournalRecord> {
    const pause = pauses();
    for await (const record of this.#parts.journal.read(store, range)) {
      yield record;
      await pause();
    }
  }
}
