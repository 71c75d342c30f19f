/** What a storage error means for the journal. Pure. Source: reliability-security 1.2 (first storage error). */
import { errorCode, JournalClosedError } from './journal-errors.ts';
import type { ModeCause } from './journal.ts';

export interface WriteFailure {
  readonly store: string;
  /** A failed sync leaves the file's content unknown; after a failed write it is known up to the last sync. */
  readonly step: 'Write' | 'Sync';
  readonly cause: unknown;
}

/** Only a write that failed leaves a file whose content is known up to the last sync. */
export function causeOf({ step, cause }: WriteFailure): ModeCause {
  if (step === 'Sync') return 'StorageError';
  if (isVolumeFull(cause)) return 'DiskFull';
  return codeOf(cause) === 'EROFS' ? 'ReadOnlyVolume' : 'StorageError';
}

/** The code of an error, or of what caused it. */
export function codeOf(error: unknown): string | undefined {
  const cause = error instanceof JournalClosedError ? error.cause : error;
  return errorCode(cause);
}

/** No space, or none for this user. */
export function isVolumeFull(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}
