/**
 * The journal on a file system: the writers of its stores, one mode for all of them, and recovery from a full volume.
 *
 * I1  One error in any store ends writing in all of them.
 * I2  The journal leaves `DiskFull` only by opening every store anew from the disk.
 *
 * Source: reliability-security 1 (first storage error, opening).
 */
import type { Clock } from '@retainer/contract/std/clock';
import { observedAppend, type AppendObserver } from './append-observer.ts';
import { dropBallast, keepBallast, regainBallast } from './ballast.ts';
import { Blobs } from './blobs.ts';
import { examineJournal, type ExaminedJournal } from './examine-journal.ts';
import type { FileSystem } from './file-system.ts';
import { Growth } from './growth.ts';
import { errorText, InvalidRecordError, JournalClosedError } from './journal-errors.ts';
import type { BlobRef, Head, Journal, JournalMode, JournalReader, JournalRecord, ModeCause } from './journal.ts';
import type { NewRecord } from './journal.ts';
import type { JournalLimits } from './limits.ts';
import type { HeldLock, LockPort } from './lock.ts';
import { readerOf } from './open-reader.ts';
import { RecordPreparer, redactText, type Redact } from './prepare-record.ts';
import type { StoreBounds } from './read.ts';
import { settleStore, type ExaminedStore, type Recovered } from './recover.ts';
import { segmentFile } from './segment.ts';
import { causeOf, codeOf, isVolumeFull, type WriteFailure } from './write-failure.ts';
import { testimonyOf } from './testimony.ts';
import { StoreWriter, type PreparedRecord } from './store-writer.ts';
import { FORMAT_VERSION, journalKinds, systemStore, unknownStore, type StoreDefinition } from './stores.ts';

export interface JournalContext {
  readonly observer: AppendObserver | undefined;
  readonly directory: string;
  readonly stores: readonly StoreDefinition[];
  readonly agentUid: string;
  readonly clock: Clock;
  readonly epoch?: number;
  readonly knownHeads: readonly Head[];
  readonly redact: Redact | undefined;
  readonly fileSystem: FileSystem;
  readonly lock: LockPort;
  readonly nonce: () => string;
  readonly limits: JournalLimits;
}

/** A store as examined at the last opening, and its writer if it has one. */
interface Store {
  readonly examined: ExaminedStore;
  readonly writer: StoreWriter | undefined;
}

type State = JournalMode | 'Opening';

export class DiskJournal implements Journal {
  readonly append: Journal['append'];
  readonly read: JournalReader['read'];
  readonly readAll: JournalReader['readAll'];
  readonly follow: JournalReader['follow'];
  readonly readBlob: JournalReader['readBlob'];
  readonly #context: JournalContext;
  readonly #definitions: ReadonlyMap<string, StoreDefinition>;
  readonly #blobs: Blobs;
  readonly #listeners: ((reason: string) => void)[] = [];
  #stores: ReadonlyMap<string, Store> = new Map();
  #state: State = 'Opening';
  #cause: ModeCause | undefined;
  #reason: string | undefined;
  #epoch = 0;
  #nextOrder = 0;
  #held: HeldLock | undefined;
  #stoppedAtMs = 0;
  /** The work that follows a storage error; resuming and closing wait for it. */
  #aftermath: Promise<void> = Promise.resolve();
  #resuming: Promise<boolean> | undefined;
  readonly #growth = new Growth();
  readonly #preparer: RecordPreparer;

  constructor(context: JournalContext) {
    this.#context = context;
    this.append = observedAppend((records) => this.#appendChecked(records), context.observer, context.clock);
    this.#definitions = new Map([systemStore, ...context.stores].map((store) => [store.name, store]));
    this.#blobs = new Blobs(context.fileSystem, context.directory);
    this.#preparer = new RecordPreparer({
      ...context,
      keptBefore: (store) => this.#stores.get(store)?.writer?.state.nextSeq ?? 0,
    });
    const reader = readerOf(
      {
        fileSystem: context.fileSystem,
        directory: context.directory,
        definition: (store) => this.#definition(store),
        refusesNewer: true,
        bounds: (store) => this.#bounds(store),
        grown: (_store, signal) => this.#growth.next(signal),
      },
      [],
      () => this.heads(),
    );
    this.read = (store, range) => reader.read(store, range);
    this.readAll = (stores) => reader.readAll(stores);
    this.follow = (store, fromSeq, signal) => reader.follow(store, fromSeq, signal);
    this.readBlob = (ref) => reader.readBlob(ref);
  }

  get mode(): JournalMode {
    return this.#state === 'Opening' ? 'Degraded' : this.#state;
  }

  get modeReason(): string | undefined {
    return this.#reason;
  }

  get modeCause(): ModeCause | undefined {
    return this.#cause;
  }

  get epoch(): number {
    return this.#epoch;
  }

  get stores(): readonly string[] {
    return [...this.#stores.keys()];
  }

  heads(): readonly Head[] {
    return [...this.#stores].flatMap(([store, { examined, writer }]) => {
      const { nextSeq, lastHash, epoch } = writer?.state ?? examined.state;
      return nextSeq === 0 ? [] : [{ store, seq: nextSeq - 1, hash: lastHash, epoch }];
    });
  }

  onDegraded(listener: (reason: string) => void): void {
    this.#listeners.push(listener);
  }

  async #appendChecked(records: readonly NewRecord[]): Promise<readonly JournalRecord[]> {
    if (this.#state !== 'Writable') throw new JournalClosedError(`the journal takes no records: ${this.#reason}`);
    const [first] = records;
    if (first === undefined) return [];
    const writer = this.#stores.get(first.store)?.writer;
    if (writer === undefined) throw new InvalidRecordError(`store ${first.store}: there is no such store`);
    for (const { store, kind } of records) {
      if (store !== first.store)
        throw new InvalidRecordError(`one append is for one store: ${first.store} and ${store}`);
      if (journalKinds.has(kind))
        throw new InvalidRecordError(`store ${store}, kind ${kind}: only the journal writes it`);
    }
    return this.#append(first.store, writer, records);
  }

  async putBlob(bytes: Uint8Array): Promise<BlobRef> {
    if (this.#state !== 'Writable') throw new JournalClosedError(`the journal takes no content: ${this.#reason}`);
    const { redact } = this.#context;
    return this.#putBlob(redact === undefined ? bytes : redactText(bytes, redact));
  }

  /** Called once, by `openJournal`. */
  async open(): Promise<void> {
    try {
      await this.#acquire();
      await this.#openStores();
    } catch (error) {
      if (await this.#openedForReading(error)) return;
      for (const { writer } of this.#stores.values()) writer?.stop(new JournalClosedError('the journal did not open'));
      for (const { writer } of this.#stores.values()) await writer?.abandon();
      await this.#held?.release();
      throw error;
    }
  }

  tryResume(): Promise<boolean> {
    this.#resuming ??= this.#resume().finally(() => {
      this.#resuming = undefined;
    });
    return this.#resuming;
  }

  async #resume(): Promise<boolean> {
    await this.#aftermath;
    const [state, cause, reason] = [this.#state, this.#cause, this.#reason];
    if (cause !== 'DiskFull' && cause !== 'ReadOnlyVolume') return state === 'Writable';
    try {
      // First step: it proves that there is space, and changes nothing if there is none.
      await regainBallast(this.#context.fileSystem, this.#context.directory, this.#context.limits.ballastBytes);
      this.#state = 'Opening';
      if (this.#held === undefined) await this.#acquire();
      await this.#openStores();
      const degradedMs = Math.max(0, Math.round(this.#context.clock.monotonicMs() - this.#stoppedAtMs));
      if (this.mode === 'Writable') await this.#note('system', 'SpaceReturned', { degradedMs });
    } catch (error) {
      const isSame = causeOf(error) !== 'StorageError';
      if (isSame && this.#state === 'Opening') this.#setState(state, cause, reason);
      else this.#degrade({ store: systemStore.name, cause: error });
    }
    await this.#aftermath;
    return this.mode === 'Writable';
  }

  async close(): Promise<void> {
    await this.#resuming;
    for (const { writer } of this.#stores.values()) await writer?.flush();
    await this.#aftermath;
    if (this.#state === 'Writable') await this.#noteClosed().catch(() => undefined);
    await this.#aftermath;
    if (this.#state === 'Writable') this.#setState('ReadOnly', 'Closed', 'the journal is closed');
    try {
      for (const { writer } of this.#stores.values()) await writer?.close();
    } finally {
      this.#growth.wake();
      const held = this.#held;
      this.#held = undefined;
      await held?.release();
    }
  }

  /** The last record: everything before it is on the disk, and so are the checkpoints that it names. */
  async #noteClosed(): Promise<void> {
    for (const { writer } of this.#stores.values()) await writer?.checkpoint();
    await this.#note(systemStore.name, 'Closed', { epoch: this.#epoch, ...testimonyOf(this.heads(), this.#stores) });
  }

  async #acquire(): Promise<void> {
    const { fileSystem, directory, lock } = this.#context;
    await fileSystem.makeDirectory(directory);
    await fileSystem.syncDirectory(directory.slice(0, Math.max(directory.lastIndexOf('/'), 1)));
    this.#held = await lock.acquire(`${directory}/lock`);
  }

  /** All steps between taking the lock and accepting records; repeated after a full volume. */
  async #openStores(): Promise<void> {
    const { fileSystem, directory, limits } = this.#context;
    const examined = await this.#examine();
    if (examined.damage !== undefined) return this.#setState('ReadOnly', 'Damaged', examined.damage);
    for (const name of ['blobs', 'checkpoints', 'recovered', ...examined.stores.keys()])
      await fileSystem.makeDirectory(`${directory}/${name}`);
    await fileSystem.syncDirectory(directory);
    const told = new Map<string, readonly Recovered[]>();
    for (const store of examined.stores.values()) told.set(store.store, await settleStore(this.#context, store));
    await keepBallast(fileSystem, directory, limits.ballastBytes);
    await this.#startWriters(examined, told);
    return this.#state === 'Opening' ? this.#setState('Writable', undefined, undefined) : undefined;
  }

  async #examine(): Promise<ExaminedJournal> {
    const { fileSystem, directory, knownHeads, agentUid } = this.#context;
    const epoch = this.#epoch === 0 ? this.#context.epoch : this.#epoch;
    const stores = [...this.#definitions.keys()];
    const examined = await examineJournal({ fileSystem, directory, stores, epoch, knownHeads, agentUid });
    this.#epoch = examined.epoch;
    this.#nextOrder = Math.max(this.#nextOrder, examined.nextOrder);
    this.#stores = new Map([...examined.stores].map(([name, store]) => [name, { examined: store, writer: undefined }]));
    return examined;
  }

  async #startWriters(examined: ExaminedJournal, told: ReadonlyMap<string, readonly Recovered[]>): Promise<void> {
    this.#stores = new Map(
      [...examined.stores].map(([name, store]) => [name, { examined: store, writer: this.#writer(store) }]),
    );
    const testimony = testimonyOf(this.heads(), this.#stores);
    // Before any other store: a journal whose own store is gone is told from one that was never opened.
    await this.#begin(systemStore.name, told);
    const others = [...this.#stores.keys()].filter((name) => name !== systemStore.name);
    await Promise.all(others.map((name) => this.#begin(name, told)));
    const recovered = [...told].filter(([, list]) => list.length > 0).map(([name]) => name);
    const opened = { epoch: this.#epoch, stores: [...this.#stores.keys()], recovered, ...testimony };
    await this.#note(systemStore.name, 'Opened', opened);
  }

  /** The first records of an opening in one store. */
  async #begin(name: string, told: ReadonlyMap<string, readonly Recovered[]>): Promise<void> {
    const { agentUid, nonce } = this.#context;
    const first = { storeId: name, agentUid, schemaVersion: FORMAT_VERSION };
    if (this.#stores.get(name)?.examined.state.nextSeq === 0)
      await this.#note(name, 'StoreOpened', { ...first, nonce: nonce() });
    for (const recovered of told.get(name) ?? []) await this.#note(name, 'Recovered', { ...recovered });
  }

  #writer(examined: ExaminedStore): StoreWriter {
    const { fileSystem, directory, clock, limits } = this.#context;
    const { store, segments, state } = examined;
    return new StoreWriter({
      ...{ fileSystem, directory, store, limits, clock, segments, state, hasCheckpoint: examined.hasCheckpoint },
      epoch: this.#epoch,
      durability: this.#definition(store).durability,
      onFailure: (failure) => this.#degrade(failure),
      onAppended: () => this.#growth.wake(),
    });
  }

  /** A record of the journal's own. */
  async #note(store: string, kind: string, payload: NewRecord['payload']): Promise<void> {
    const writer = this.#stores.get(store)?.writer;
    if (writer === undefined) throw new JournalClosedError(`store ${store} has no writer`);
    await this.#append(store, writer, [{ store, kind, principal: 'journal', payload }]);
    if (this.#definition(store).durability === 'lazy') await writer.flush();
  }

  #append(store: string, writer: StoreWriter, records: readonly NewRecord[]): Promise<readonly JournalRecord[]> {
    // Before the records get their orders: a number without a record would look like a lost one.
    writer.refuseIfFull(records.length);
    const [definition, nowMs] = [this.#definition(store), this.#context.clock.nowMs()];
    const batch = this.#preparer.prepare({ records, definition, nowMs, firstSeq: writer.nextSeq });
    const blobs: Promise<BlobRef>[] = [];
    const prepared: PreparedRecord[] = [];
    for (const { kind, version, principal, cycleId, runId, timeMs, payload, content, blobBytes } of batch) {
      if (blobBytes !== undefined) blobs.push(this.#blobs.put(blobBytes));
      const order = this.#nextOrder;
      prepared.push({ kind, version, principal, cycleId, runId, timeMs, payload, content, order });
      this.#nextOrder += 1;
    }
    return writer.append(prepared, blobs.length === 0 ? undefined : Promise.all(blobs));
  }

  async #putBlob(bytes: Uint8Array): Promise<BlobRef> {
    try {
      return await this.#blobs.put(bytes);
    } catch (error) {
      if (error instanceof InvalidRecordError) throw error;
      this.#degrade({ store: 'blobs', cause: error });
      throw new JournalClosedError(`a blob could not be stored: ${errorText(error)}`, { cause: error });
    }
  }

  #degrade(failure: WriteFailure): void {
    if (this.#state === 'Degraded' || this.#state === 'ReadOnly') return;
    const reason = `store ${failure.store}: ${errorText(failure.cause)}`;
    const cause = causeOf(failure.cause);
    this.#setState('Degraded', cause, cause === 'DiskFull' ? `disk full: ${reason}` : reason);
    this.#preparer.forget();
    const closed = new JournalClosedError(`the journal takes no records: ${this.#reason}`, { cause: failure.cause });
    for (const { writer } of this.#stores.values()) writer?.stop(closed);
    this.#stoppedAtMs = this.#context.clock.monotonicMs();
    this.#aftermath = this.#afterFailure(failure, cause).catch((error: unknown) => {
      // No room even for the record about it; the content of the disk is known all the same.
      if (!isVolumeFull(error)) this.#setState('Degraded', 'StorageError', `${reason}; then ${errorText(error)}`);
    });
    for (const listener of this.#listeners) listener(reason);
  }

  async #afterFailure(failure: WriteFailure, cause: ModeCause): Promise<void> {
    for (const { writer } of this.#stores.values()) await writer?.abandon();
    const { fileSystem, directory } = this.#context;
    if (isVolumeFull(failure.cause)) await dropBallast(fileSystem, directory);
    if (cause !== 'DiskFull') return;
    for (const { writer } of this.#stores.values()) await writer?.cutBack();
    await this.#recordDiskFull(failure);
  }

  /** Opens the journal's own store once more, in the space that the ballast freed, for one record. */
  async #recordDiskFull({ store, cause }: WriteFailure): Promise<void> {
    const examined = await this.#examine();
    const system = examined.stores.get(systemStore.name);
    if (system === undefined || system.segments.length === 0 || examined.damage !== undefined) return;
    await settleStore(this.#context, system);
    const writer = this.#writer(system);
    this.#stores = new Map([...this.#stores, [systemStore.name, { examined: system, writer }]]);
    await this.#note(systemStore.name, 'DiskFull', { store, code: codeOf(cause) ?? 'ENOSPC' });
    writer.stop(new JournalClosedError(`the journal takes no records: ${this.#reason}`));
    await writer.abandon();
  }

  /** Continues with reads if only writing is impossible. The caller gets every other error. */
  async #openedForReading(error: unknown): Promise<boolean> {
    await this.#aftermath;
    if (this.#state === 'Degraded' && this.#cause === 'DiskFull') return true;
    const cause = causeOf(error);
    if (cause === 'ReadOnlyVolume') this.#setState('ReadOnly', cause, `the volume is read-only: ${errorText(error)}`);
    else if (cause === 'DiskFull') this.#degrade({ store: systemStore.name, cause: error });
    else return false;
    await this.#aftermath;
    if (this.#stores.size === 0) await this.#examine();
    return true;
  }

  #setState(state: State, cause: ModeCause | undefined, reason: string | undefined): void {
    this.#state = state;
    this.#cause = cause;
    this.#reason = reason;
  }

  #definition(store: string): StoreDefinition {
    return this.#definitions.get(store) ?? unknownStore(store);
  }

  async #bounds(store: string): Promise<StoreBounds> {
    const found = this.#stores.get(store);
    if (found === undefined) return { segments: [], endBytes: 0 };
    const { writer, examined } = found;
    const segments = (writer?.segments ?? examined.segments).map((name) => segmentFile(name));
    const unread = examined.action === 'OpenReadOnly' ? examined.lastSegmentBytes : examined.state.endBytes;
    return { segments, endBytes: writer?.state.endBytes ?? unread };
  }
}
