/**
 * Opens the journal of an agent: the one entrance for everybody who writes.
 *
 * Source: reliability-security 1; design 5.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '@retainer/contract/std/clock';
import type { AppendObserver } from './append-observer.ts';
import { DiskJournal } from './disk-journal.ts';
import type { FileSystem } from './file-system.ts';
import type { Head, Journal } from './journal.ts';
import { defaultLimits, type JournalLimits } from './limits.ts';
import { fileLock, type LockPort } from './lock.ts';
import type { Redact } from './prepare-record.ts';
import { realFileSystem } from './real-file-system.ts';
import { guardSyncs } from './sync-guard.ts';
import { defineStores, type StoreDefinition } from './stores.ts';

export { defineStores } from './stores.ts';
export type { RecordKind, StoreDefinition, Upcast } from './stores.ts';
export type { JournalLimits } from './limits.ts';
export { isWriterGone, writerPlace } from './writer-place.ts';
export {
  JournalClosedError,
  JournalCorruptError,
  LockHeldError,
  MissingPartError,
  NewerRecordError,
} from './journal-errors.ts';

export interface OpenJournalOptions {
  /** Absolute; made if it is not there. Nobody else may write below it. */
  readonly directory: string;
  readonly stores: readonly StoreDefinition[];
  /** Another agent's directory is refused. */
  readonly agentUid: string;
  readonly clock: Clock;
  /** Number of this writer if an outside authority assigns it (a Lease); else one more than the last found. */
  readonly epoch?: number;
  /** Heads that an auditor keeps: a store that ends before one is refused. */
  readonly knownHeads?: readonly Head[];
  /** Applied to the text of every payload and to every textual blob before it is hashed or written. */
  readonly redact?: Redact;
  readonly observer?: AppendObserver;
  readonly fileSystem?: FileSystem;
  readonly lock?: LockPort;
  /** Makes the random part of a store's first record. */
  readonly nonce?: () => string;
  readonly limits?: Partial<JournalLimits>;
}

/**
 * Takes the lock, makes the permitted repairs, and resolves with a journal in one of its modes.
 *
 * A damaged store or a read-only volume gives mode `ReadOnly`, a full one `Degraded`: reads work, the process stays up.
 *
 * @throws LockHeldError, LockUnavailableError, OpeningRefusedError, or the file system's own error
 */
export async function openJournal(options: OpenJournalOptions): Promise<Journal> {
  const journal = new DiskJournal({
    ...options,
    observer: options.observer,
    stores: defineStores(options.stores),
    fileSystem: guardSyncs(options.fileSystem ?? realFileSystem),
    lock: options.lock ?? fileLock,
    redact: options.redact,
    nonce: options.nonce ?? randomUUID,
    knownHeads: options.knownHeads ?? [],
    limits: { ...defaultLimits, ...options.limits },
  });
  await journal.open();
  return journal;
}
