/** A journal without a disk, which can be cut off after any record and taken up again. For tests of what builds on it. */
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { sha256Hex } from '@retainer/contract/std/hash';
import { kindOf, type StoreDefinition } from '@retainer/journal/stores';
import { agentStores } from '@retainer/agent-pod/loop/stores';
import type { Head, Journal, JournalRecord, NewRecord, ReadRange } from '@retainer/journal/journal';
import { MANUAL_START_MS } from './manual-clock.ts';

const known = new Map<string, StoreDefinition>(agentStores.map((store) => [store.name, store]));

/** As a journal on a disk does, which is not asked here for the schema of the payload. */
function checkKind({ store, kind }: NewRecord): void {
  const definition = known.get(store);
  if (definition !== undefined && kindOf(definition, kind) === undefined)
    throw new Error(`store ${store} has no kind ${kind}`);
}

export class MemoryJournal implements Journal {
  readonly records: JournalRecord[];
  readonly epoch: number;
  mode: Journal['mode'] = 'Writable';
  readonly modeReason = undefined;
  readonly modeCause = undefined;

  /** @param records  what an earlier process left, in order */
  constructor(records: readonly JournalRecord[] = []) {
    this.records = [...records];
    this.epoch = (records.at(-1)?.epoch ?? 0) + 1;
  }

  get stores(): readonly string[] {
    return [...new Set(this.records.map((record) => record.store))];
  }

  async append(records: readonly NewRecord[]): Promise<readonly JournalRecord[]> {
    // A tick, as on a disk: nothing may rely on an append being there at once.
    await Promise.resolve();
    if (this.mode !== 'Writable') throw new Error('the journal takes no more records');
    return records.map((record) => {
      checkKind(record);
      const seq = this.records.filter((it) => it.store === record.store).length;
      const kept: JournalRecord = {
        ...(JSON.parse(JSON.stringify(record)) as NewRecord),
        version: 1,
        seq,
        order: this.records.length,
        epoch: this.epoch,
        timeMs: record.timeMs ?? MANUAL_START_MS,
        prev: '',
        hash: sha256Hex(canonicalJson(record)),
      };
      this.records.push(kept);
      return kept;
    });
  }

  async *read(store: string, { fromSeq = 0, fromTimeMs = 0 }: ReadRange = {}): AsyncIterable<JournalRecord> {
    const records = this.records.filter((it) => it.store === store && it.seq >= fromSeq && it.timeMs >= fromTimeMs);
    for (const record of records) yield await Promise.resolve(record);
  }

  async *readAll(stores: readonly string[]): AsyncIterable<JournalRecord> {
    for (const record of this.records) if (stores.includes(record.store)) yield await Promise.resolve(record);
  }

  follow(): AsyncIterable<JournalRecord> {
    throw new Error('not needed by these tests');
  }

  readBlob(): Promise<Uint8Array> {
    throw new Error('not needed by these tests');
  }

  putBlob(): Promise<{ readonly sha256: string; readonly sizeBytes: number }> {
    throw new Error('not needed by these tests');
  }

  heads(): readonly Head[] {
    return this.stores.flatMap((store) => {
      const last = this.records.findLast((it) => it.store === store);
      return last === undefined ? [] : [{ store, seq: last.seq, hash: last.hash, epoch: last.epoch }];
    });
  }

  tryResume(): Promise<boolean> {
    return Promise.resolve(true);
  }

  onDegraded(): void {
    // It never is.
  }

  async close(): Promise<void> {
    await Promise.resolve();
    this.mode = 'ReadOnly';
  }
}
