/** What the journal throws. Messages are for people: what failed, where, what to do. They hold no payload. */

/** The caller's record is not acceptable; nothing was written and the journal goes on. */
export class InvalidRecordError extends Error {
  override readonly name = 'InvalidRecordError';
}

/** The journal takes no records: closed, read-only or degraded. Nothing of the call was acknowledged. */
export class JournalClosedError extends Error {
  override readonly name = 'JournalClosedError';
}

/** More records wait than {@link JournalLimits.queuedRecords}; nothing of the call was written. Try again later. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}

interface Damaged {
  readonly store: string;
  readonly file: string;
  /** From 1; absent for a blob. */
  readonly line?: number | undefined;
  readonly seq: number;
}

/** A line or blob is not what was once written. Located by file, line and sequence. */
export class JournalCorruptError extends Error {
  override readonly name: string = 'JournalCorruptError';
  readonly store: string;
  readonly file: string;
  readonly seq: number;

  constructor(place: Damaged, found: string) {
    const line = place.line === undefined ? '' : `, line ${place.line}`;
    super(`${place.file}${line}: store ${place.store}, sequence ${place.seq}: ${found}; run "retainer journal verify"`);
    this.store = place.store;
    this.file = place.file;
    this.seq = place.seq;
  }
}

/** A record names a part that an earlier record said, and that is not there. */
export class MissingPartError extends JournalCorruptError {
  override readonly name = 'MissingPartError';
  /** A repair gave it up, and said so. */
  readonly isGivenUp: boolean;

  constructor(
    record: Damaged,
    missing: { readonly pointer: string; readonly place: string; readonly isGivenUp: boolean },
  ) {
    const { pointer, place, isGivenUp } = missing;
    super(
      record,
      `its ${pointer} stands at ${place}, and ${isGivenUp ? 'a repair gave that up' : 'nothing does there'}`,
    );
    this.isGivenUp = isGivenUp;
  }
}

/** A record that this program cannot read, because a newer version of the program wrote it. Nothing is damaged. */
export class NewerRecordError extends Error {
  override readonly name = 'NewerRecordError';

  constructor(
    place: { readonly store: string; readonly file: string; readonly seq: number },
    record: { readonly kind: string; readonly version: number },
  ) {
    const what = `kind ${record.kind}, version ${record.version}`;
    super(
      `${place.file}: store ${place.store}, sequence ${place.seq}: ${what}: this program does not know it, so a newer one wrote it; start that version again, or a newer one`,
    );
  }
}

/** Somebody put another file in the place of an open segment, or removed it: what is written there would be lost. */
export class ReplacedFileError extends Error {
  override readonly name = 'ReplacedFileError';

  constructor(path: string) {
    super(
      `${path}: the file in the directory is not the open one, or is gone: nothing more is written; find out who replaced it, run "retainer journal verify", then start again`,
    );
  }
}

/** Another process holds the journal's lock. */
export class LockHeldError extends Error {
  override readonly name = 'LockHeldError';
  /** As the holder wrote it into the lock file; undefined when it had not yet. */
  readonly holderPid: number | undefined;

  constructor(path: string, holderPid: number | undefined) {
    super(`${path} is held by ${holderPid === undefined ? 'another process' : `process ${holderPid}`}: stop it first`);
    this.holderPid = holderPid;
  }
}

/** The lock cannot be taken on this machine at all. */
export class LockUnavailableError extends Error {
  override readonly name = 'LockUnavailableError';
}

export type RefusalReason = 'SplitBrain' | 'Rollback' | 'WrongAgent';

/** The journal must not be opened for writing before a person has looked. */
export class OpeningRefusedError extends Error {
  override readonly name = 'OpeningRefusedError';
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Node's code of a file-system error, such as `EIO`; undefined when it has none. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Words for the reason of a mode: code and message of what was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
