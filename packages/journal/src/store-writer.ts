/**
 * The only writer of one store: a queue, and a loop that turns the waiting records into one write and one sync.
 *
 * I1  A durable append resolves only after a sync that began after its bytes were written.
 * I2  After the first error nothing is written, synced or acknowledged any more; the file is never synced again.
 * I3  Nothing is acknowledged that went into a file which its path no longer leads to.
 * I4  Records of one append are neighbours, and appends keep the order in which they were called.
 *
 * Source: reliability-security 1 (write path, first storage error).
 */
import type { Clock } from '@retainer/contract/std/clock';
import type { Json } from '@retainer/contract/std/canonical-json';
import { advance } from './advance-chain.ts';
import { copyChain, freshContent, type ChainState } from './chain-scanner.ts';
import { encodeLine, type LineFields } from './codec.ts';
import { writeCheckpoint } from './checkpoint.ts';
import type { FileSystem, OpenFile } from './file-system.ts';
import { errorText, JournalClosedError, QueueFullError, ReplacedFileError } from './journal-errors.ts';
import type { JournalRecord } from './journal.ts';
import type { JournalLimits } from './limits.ts';
import { encodeFooter, nextSegment, segmentFile, utcDay, type SegmentName } from './segment.ts';
import type { WriteFailure } from './write-failure.ts';
import { writeFully } from './write-file.ts';

/** A checked record with its place in the agent-wide order. */
export interface PreparedRecord {
  readonly kind: string;
  readonly version: number;
  readonly principal: string;
  readonly cycleId: string | undefined;
  readonly runId: string | undefined;
  readonly timeMs: number;
  readonly payload: Json;
  readonly content: LineFields['content'];
  readonly order: number;
}

export interface WriterOptions {
  readonly fileSystem: FileSystem;
  /** Of the journal. */
  readonly directory: string;
  readonly store: string;
  readonly durability: 'durable' | 'lazy';
  readonly limits: JournalLimits;
  readonly clock: Clock;
  readonly epoch: number;
  readonly segments: readonly SegmentName[];
  readonly hasCheckpoint: boolean;
  /** The store's end as recovered. The writer keeps it up to date. */
  readonly state: ChainState;
  readonly onFailure: (failure: WriteFailure) => void;
  readonly onAppended: () => void;
}

interface Slot {
  readonly records: readonly PreparedRecord[];
  /** Blobs that must be durable before the records are written. */
  readonly blobs: Promise<unknown> | undefined;
  readonly resolve: (records: readonly JournalRecord[]) => void;
  readonly reject: (error: Error) => void;
}

export class StoreWriter {
  readonly #options: WriterOptions;
  readonly #segments: SegmentName[];
  readonly #stopped = new AbortController();
  #state: ChainState;
  #file: OpenFile | undefined;
  #queue: Slot[] = [];
  #queuedRecords = 0;
  #nextSeq: number;
  #running = false;
  #loop: Promise<void> | undefined;
  #failure: Error | undefined;
  #unsynced = false;
  /** The first sequence that no sync has covered. */
  #syncedBefore: number;
  #syncAsked = false;
  #bytesSinceCheckpoint = 0;
  #hasCheckpoint: boolean;
  #checkpoint: Promise<void> | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#segments = [...options.segments];
    this.#state = options.state;
    this.#syncedBefore = options.state.nextSeq;
    this.#nextSeq = options.state.nextSeq;
    this.#hasCheckpoint = options.hasCheckpoint;
  }

  /** The acknowledged end. */
  get state(): ChainState {
    return this.#state;
  }

  /** What the next appended record gets, unless the writer fails before. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  get hasCheckpoint(): boolean {
    return this.#hasCheckpoint;
  }

  get segments(): readonly SegmentName[] {
    return this.#segments;
  }

  /** @throws QueueFullError */
  refuseIfFull(records: number): void {
    if (this.#queuedRecords + records > this.#options.limits.queuedRecords)
      throw new QueueFullError(`store ${this.#options.store}: ${this.#queuedRecords} records wait already`);
  }

  append(records: readonly PreparedRecord[], blobs: Promise<unknown> | undefined): Promise<readonly JournalRecord[]> {
    // Awaited later, at its turn; until then a rejection must not count as unhandled.
    blobs?.catch(() => undefined);
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      this.#queue.push({ records, blobs, resolve, reject });
      this.#queuedRecords += records.length;
      this.#nextSeq += records.length;
      return this.#start();
    });
  }

  /** Resolves when all waiting records are written and synced, or have failed. */
  async flush(): Promise<void> {
    this.#syncAsked = true;
    this.#start();
    await this.#loop;
  }

  /** Syncs, writes a checkpoint, and closes the file. */
  async close(): Promise<void> {
    await this.flush();
    await this.checkpoint();
    this.stop(new JournalClosedError('the journal is closed'));
    await this.#release();
  }

  /** Writes a checkpoint at the end of what was synced, unless there is one. Only after {@link flush}. */
  async checkpoint(): Promise<void> {
    await this.#checkpoint;
    if (this.#failure === undefined && this.#bytesSinceCheckpoint > 0) this.#beginCheckpoint();
    await this.#checkpoint;
  }

  /** Refuses everything from now on. Nothing is synced. */
  stop(reason: Error): void {
    this.#failure ??= reason;
    // An explicit reason: creating the default one costs more than all the rest.
    this.#stopped.abort(this.#failure);
    const waiting = this.#queue;
    this.#queue = [];
    this.#queuedRecords = 0;
    for (const slot of waiting) slot.reject(this.#failure);
  }

  /** After {@link stop}: waits for the step under way and closes the file, unsynced. */
  async abandon(): Promise<void> {
    await this.#loop;
    await this.#checkpoint;
    await this.#release();
  }

  /** Cuts off the bytes that a failed write left after the acknowledged end. Needs no space. */
  async cutBack(): Promise<void> {
    const last = this.#segments.at(-1);
    if (last !== undefined) await this.#options.fileSystem.truncate(this.#path(last), this.#state.endBytes);
  }

  async #release(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  #start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#loop = this.#run();
  }

  async #run(): Promise<void> {
    try {
      while (this.#failure === undefined && (this.#queue.length > 0 || this.#syncAsked)) {
        await othersEnqueue();
        if (this.#queue.length > 0) await this.#writeBatch();
        else await this.#syncLazy();
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#running = false;
    }
  }

  #fail(cause: unknown): void {
    this.stop(new JournalClosedError(`store ${this.#options.store}: ${errorText(cause)}`, { cause }));
    this.#options.onFailure({ store: this.#options.store, cause });
  }

  async #writeBatch(): Promise<void> {
    const slots: Slot[] = [];
    try {
      const batch = await this.#encodeBatch(slots);
      const bytes = Buffer.from(batch.text);
      await this.#makeRoom(bytes.length);
      await this.#put(bytes, batch.records);
      if (this.#failure !== undefined) throw this.#failure;
      for (const [index, slot] of slots.entries()) slot.resolve(batch.perSlot[index] ?? []);
      this.#options.onAppended();
    } catch (error) {
      const reason = new JournalClosedError(`store ${this.#options.store}: ${errorText(error)}`, { cause: error });
      for (const slot of slots) slot.reject(reason);
      throw error;
    }
  }

  /** Takes slots until the queue is empty, the batch is full, or building it has taken long enough. */
  async #encodeBatch(slots: Slot[]): Promise<{ text: string; records: JournalRecord[]; perSlot: JournalRecord[][] }> {
    const { limits, clock } = this.#options;
    const endMs = clock.monotonicMs() + limits.batchMs;
    const records: JournalRecord[] = [];
    const perSlot: JournalRecord[][] = [];
    let text = '';
    while (text.length < limits.batchBytes && (slots.length === 0 || clock.monotonicMs() < endMs)) {
      const slot = this.#queue.shift();
      if (slot === undefined) break;
      slots.push(slot);
      this.#queuedRecords -= slot.records.length;
      if (slot.blobs !== undefined) await slot.blobs;
      const mine: JournalRecord[] = [];
      for (const prepared of slot.records) {
        const { line, record } = this.#encode(prepared, records);
        text += line;
        mine.push(record);
        records.push(record);
      }
      perSlot.push(mine);
    }
    return { text, records, perSlot };
  }

  #encode(prepared: PreparedRecord, before: readonly JournalRecord[]): { line: string; record: JournalRecord } {
    const { store, epoch } = this.#options;
    const seq = this.#state.nextSeq + before.length;
    const prev = before.at(-1)?.hash ?? this.#state.lastHash;
    // Written out here and below: a spread on this path costs more than the hash.
    const { kind, version, principal, cycleId, runId, timeMs, payload, content, order } = prepared;
    const { text, hash } = encodeLine({
      store,
      seq,
      order,
      epoch,
      batch: this.#syncedBefore,
      timeMs,
      kind,
      version,
      principal,
      cycleId,
      runId,
      content,
      prev,
    });
    const kept = { store, kind, principal, payload, timeMs, version, seq, order, epoch, prev, hash };
    if (runId === undefined) return { line: text, record: cycleId === undefined ? kept : { ...kept, cycleId } };
    return { line: text, record: cycleId === undefined ? { ...kept, runId } : { ...kept, runId, cycleId } };
  }

  /** Seals a segment that is full or of an earlier day, and opens the one to write to. */
  async #makeRoom(bytes: number): Promise<void> {
    const { clock, limits } = this.#options;
    const last = this.#segments.at(-1);
    const { content, endBytes, sealed } = this.#state;
    const full = endBytes + bytes > limits.segmentBytes || (last !== undefined && utcDay(clock.nowMs()) > last.day);
    if (last !== undefined && !sealed && content.count > 0 && full) await this.#seal(last);
    if (last === undefined || this.#state.sealed) return this.#createSegment(nextSegment(last, clock.nowMs()));
    this.#file ??= await this.#options.fileSystem.open(this.#path(last), 'append');
    return undefined;
  }

  async #seal(last: SegmentName): Promise<void> {
    const { fileSystem, store } = this.#options;
    this.#file ??= await fileSystem.open(this.#path(last), 'append');
    // A footer certifies records on the disk: opening relies on it to tell damage from a torn tail.
    this.#demandPlace(this.#file);
    if (this.#unsynced) await this.#sync(this.#file, this.#state.nextSeq);
    const footer = Buffer.from(encodeFooter(store, last, this.#state.content).text);
    await writeFully(this.#file, footer);
    await this.#sync(this.#file, this.#state.nextSeq);
    this.#state = {
      ...this.#state,
      sealed: true,
      endBytes: this.#state.endBytes + footer.length,
      line: this.#state.line + 1,
    };
    await this.#release();
    await fileSystem.makeReadOnly(this.#path(last));
  }

  async #createSegment(name: SegmentName): Promise<void> {
    const { fileSystem, directory, store } = this.#options;
    this.#file = await fileSystem.open(this.#path(name), 'create');
    await fileSystem.syncDirectory(`${directory}/${store}`);
    this.#segments.push(name);
    this.#state = { ...this.#state, sealed: false, endBytes: 0, line: 0, content: freshContent() };
  }

  async #put(bytes: Buffer, records: readonly JournalRecord[]): Promise<void> {
    const file = this.#file;
    if (file === undefined) throw new Error('no segment is open');
    await writeFully(file, bytes);
    const syncing =
      this.#options.durability === 'durable' ? this.#sync(file, this.#state.nextSeq + records.length) : undefined;
    // The tree grows while the disk is busy.
    const next = advance(this.#state, records, bytes.length);
    await syncing;
    this.#demandPlace(file);
    this.#state = next;
    this.#bytesSinceCheckpoint += bytes.length;
    if (syncing === undefined) this.#syncLater();
    else if (this.#bytesSinceCheckpoint >= this.#options.limits.checkpointEveryBytes) this.#beginCheckpoint();
  }

  /** I3: after the sync, so that whoever reads the path finds what is acknowledged. */
  #demandPlace(file: OpenFile): void {
    const last = this.#segments.at(-1);
    if (last !== undefined && !file.isInPlace()) throw new ReplacedFileError(this.#path(last));
  }

  async #sync(file: OpenFile, nextSeq: number): Promise<void> {
    await file.sync();
    this.#unsynced = false;
    this.#syncedBefore = nextSeq;
  }

  #syncLater(): void {
    if (this.#unsynced) return;
    this.#unsynced = true;
    const { clock, limits } = this.#options;
    clock.sleep(limits.lazySyncMs, this.#stopped.signal).then(
      () => {
        this.#syncAsked = true;
        this.#start();
      },
      // Stopped: closing syncs, but a failure must not.
      () => undefined,
    );
  }

  async #syncLazy(): Promise<void> {
    this.#syncAsked = false;
    if (!this.#unsynced || this.#file === undefined) return;
    await this.#sync(this.#file, this.#state.nextSeq);
    if (this.#bytesSinceCheckpoint >= this.#options.limits.checkpointEveryBytes) this.#beginCheckpoint();
  }

  /** Runs beside the writing, one at a time. The whole state is synced when this is called. */
  #beginCheckpoint(): void {
    const last = this.#segments.at(-1);
    if (this.#checkpoint !== undefined || last === undefined) return;
    this.#bytesSinceCheckpoint = 0;
    const start = {
      segment: segmentFile(last),
      state: { ...copyChain(this.#state), groupFromBytes: this.#state.endBytes },
    };
    this.#checkpoint = writeCheckpoint(this.#options.fileSystem, this.#options, start).then(
      () => {
        this.#checkpoint = undefined;
        this.#hasCheckpoint = true;
      },
      (error: unknown) => {
        this.#checkpoint = undefined;
        if (this.#failure === undefined) this.#fail(error);
      },
    );
  }

  #path(segment: SegmentName): string {
    return `${this.#options.directory}/${this.#options.store}/${segmentFile(segment)}`;
  }
}

/** Lets all callers that the last batch woke enqueue before the next batch is built. */
function othersEnqueue(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
