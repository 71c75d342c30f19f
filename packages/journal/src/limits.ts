/**
 * Every bound of the journal, in one place. Tests pass smaller ones; production takes these.
 *
 * Source: reliability-security 1. Differs: where 1.2 names no figure, the reason stands beside it.
 */
export interface JournalLimits {
  /** A segment is sealed once it has reached this size. */
  readonly segmentBytes: number;
  /** A batch closes at this size … */
  readonly batchBytes: number;
  /** … or once building it has taken this long. */
  readonly batchMs: number;
  /** A payload whose text is longer moves to a blob. */
  readonly inlinePayloadBytes: number;
  /** Reserved so that a full volume still has room for the record that says so. */
  readonly ballastBytes: number;
  /** A checkpoint follows this many bytes: at 300 MB/s an opening verifies them in some 30 ms. */
  readonly checkpointEveryBytes: number;
  /** Lazy stores are synced at least this often. */
  readonly lazySyncMs: number;
  /** Records waiting in one store; the next is refused. 64 MB at 1 KB each. */
  readonly queuedRecords: number;
}

export const defaultLimits: JournalLimits = {
  segmentBytes: 64 * 1024 * 1024,
  batchBytes: 256 * 1024,
  batchMs: 5,
  inlinePayloadBytes: 64 * 1024,
  ballastBytes: 16 * 1024 * 1024,
  checkpointEveryBytes: 8 * 1024 * 1024,
  lazySyncMs: 1000,
  queuedRecords: 65_536,
};

/** Longest line, newline excluded. Part of the format: readers refuse what is longer. */
export const LINE_BYTES_MAX = 1024 * 1024;

/** Largest content of one blob: bounds the memory of a reader. */
export const BLOB_BYTES_MAX = 256 * 1024 * 1024;

/** Characters of a principal, cycle id or run id. */
export const IDENTIFIER_CHARACTERS_MAX = 256;

/** Tries of one write that brings nothing to the disk, or is interrupted, before it counts as an error. */
export const WRITE_ATTEMPTS_MAX = 8;
