/**
 * The append-only record as the rest of the program sees it. `open-journal.ts` makes one.
 *
 * I1  An acknowledged record is on the disk, in order, forever (durable class: before the promise resolves).
 * I2  Only this folder writes below the journal's directory.
 * I3  After the first storage error nothing is acknowledged any more: the journal is degraded until it is opened anew.
 */
import type { JournalRecord, NewRecord } from '@retainer/contract/wire/record';

export type { JournalRecord, NewRecord } from '@retainer/contract/wire/record';

export type JournalMode = 'Writable' | 'ReadOnly' | 'Degraded';

/**
 * Why the mode is not `Writable`.
 *
 * {@link Journal.tryResume} ends `DiskFull` and `ReadOnlyVolume`; a repair ends `Damaged`; a new start ends every other one.
 */
export type ModeCause = 'Closed' | 'Damaged' | 'DiskFull' | 'ReadOnlyVolume' | 'StorageError';

/** The end of a store, which an auditor keeps. */
export interface Head {
  readonly store: string;
  readonly seq: number;
  readonly hash: string;
  readonly epoch: number;
}

export interface ReadRange {
  /** Inclusive. */
  readonly fromSeq?: number;
  readonly fromTimeMs?: number;
  /** Exclusive. */
  readonly toTimeMs?: number;
}

export interface BlobRef {
  /** SHA-256 of the uncompressed bytes. */
  readonly sha256: string;
  readonly sizeBytes: number;
}

export interface JournalReader {
  readonly stores: readonly string[];
  /** In order of `seq`, holding one segment at a time. A store that nothing was written into is empty. */
  read(store: string, range?: ReadRange): AsyncIterable<JournalRecord>;
  /** All the named stores merged by `order`, as a stream. */
  readAll(stores: readonly string[]): AsyncIterable<JournalRecord>;
  /** First the existing records from `fromSeq`, then new ones, until the signal is aborted. */
  follow(store: string, fromSeq: number, signal: AbortSignal): AsyncIterable<JournalRecord>;
  readBlob(ref: BlobRef): Promise<Uint8Array>;
  heads(): readonly Head[];
}

export interface Journal extends JournalReader {
  readonly mode: JournalMode;
  /** Why the mode is not `Writable`, for people. */
  readonly modeReason: string | undefined;
  readonly modeCause: ModeCause | undefined;
  readonly epoch: number;
  /**
   * Appends records, all of one store, contiguously and in order.
   *
   * Resolves when they are synced (durable stores) or queued for the next sync within a second (lazy stores).
   * Rejects with `JournalClosedError` when the journal is read-only or degraded; nothing was acknowledged then.
   */
  append(records: readonly NewRecord[]): Promise<readonly JournalRecord[]>;
  /** Stores content under its hash; durable when resolved; the same content twice is one file. */
  putBlob(bytes: Uint8Array): Promise<BlobRef>;
  /**
   * After `DiskFull` or `ReadOnlyVolume`: resumes work if the volume has space and is writable. Resolves with whether records
   * are accepted now; never rejects. Call it every few seconds while the cause lasts.
   */
  tryResume(): Promise<boolean>;
  /** Calls back once, at the first storage error; again if it happens after a resume. */
  onDegraded(listener: (reason: string) => void): void;
  /** Syncs lazy stores, writes checkpoints, releases the lock. */
  close(): Promise<void>;
}
