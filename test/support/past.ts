/** The records before a moment, as a recount reads them: by kind and by what they are of. It knows no projection. */
import type { JournalRecord } from '@retainer/journal/journal';
import type { CycleEvent } from '@retainer/mind/cycle/event';
import type { RunEvent, RunEventOf } from '@retainer/mind/run/event';

type CycleEventOf<K extends CycleEvent['kind']> = Extract<CycleEvent, { kind: K }>;

/** The payload of a record of another store, where nobody names its form. */
export type Fields = Readonly<Record<string, unknown>>;

export const fieldsOf = ({ payload }: JournalRecord): Fields => payload as Fields;

/** Empty where no text stands. */
export function textIn(fields: Fields, name: string): string {
  const text = fields[name];
  return typeof text === 'string' ? text : '';
}

export const runEventOf = ({ kind, payload }: JournalRecord): RunEvent =>
  ({ kind, ...(payload as object) }) as RunEvent;

export class Past {
  readonly records: readonly JournalRecord[];
  readonly #byKind = new Map<string, JournalRecord[]>();

  constructor(records: readonly JournalRecord[]) {
    this.records = records;
    for (const record of records) {
      const key = `${record.store} ${record.kind}`;
      const of = this.#byKind.get(key);
      if (of === undefined) this.#byKind.set(key, [record]);
      else of.push(record);
    }
  }

  /** Oldest first. */
  of(store: string, kind: string): readonly JournalRecord[] {
    return this.#byKind.get(`${store} ${kind}`) ?? [];
  }

  /** @param runId  absent: of all runs */
  ofRuns<K extends RunEvent['kind']>(kind: K, runId?: string): readonly RunEventOf<K>[] {
    return this.of('run', kind)
      .filter((record) => runId === undefined || record.runId === runId)
      .map((record) => ({ kind, ...(record.payload as object) }) as RunEventOf<K>);
  }

  /** @param cycleId  absent: of all cycles */
  ofCycles<K extends CycleEvent['kind']>(kind: K, cycleId?: string): readonly CycleEventOf<K>[] {
    return this.of('cycle', kind)
      .filter((record) => cycleId === undefined || record.cycleId === cycleId)
      .map((record) => ({ kind, ...(record.payload as object) }) as CycleEventOf<K>);
  }

  /** Everything of one run, in the order of the store `run`. */
  run(runId: string): readonly RunEvent[] {
    return this.records.filter((it) => it.store === 'run' && it.runId === runId).map(runEventOf);
  }

  /** In the order of their admission. */
  openRuns(): readonly RunEventOf<'RunAdmitted'>[] {
    const closed = new Set(this.of('run', 'RunClosed').map(({ runId }) => runId));
    return this.ofRuns('RunAdmitted').filter(({ spec }) => !closed.has(spec.runId));
  }

  /** In the order of their starts. */
  openCycles(): readonly CycleEventOf<'CycleStarted'>[] {
    const ended = new Set(this.of('cycle', 'CycleEnded').map(({ cycleId }) => cycleId));
    return this.ofCycles('CycleStarted').filter(({ spec }) => !ended.has(spec.cycleId));
  }
}

export type Started = Extract<CycleEvent, { kind: 'CycleStarted' }>;

/** What holds for the agent and is in no record of these lives: its manifest. */
export interface Manifest {
  readonly place: Readonly<Record<string, string | number>>;
  readonly sandbox: Readonly<Record<string, string | number>>;
  readonly hosts: readonly string[];
  readonly pages: readonly string[];
  readonly budgets: Readonly<Record<string, number>>;
  readonly tightenFactor: number;
  readonly halfLifeMs: number;
  readonly factHalfLifeDays: number;
}

export interface Moment {
  readonly past: Past;
  readonly manifest: Manifest;
  readonly nowMs: number;
  readonly runId: string;
  readonly cycleId: string;
}

export function momentOf(before: readonly JournalRecord[], { spec, atMs }: Started, manifest: Manifest): Moment {
  const { runId, cycleId } = spec;
  return { past: new Past(before), manifest, nowMs: atMs, runId, cycleId };
}

/** `2030-01-01 00:00 UTC`. */
export const minute = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
