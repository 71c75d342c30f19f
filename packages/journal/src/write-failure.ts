/** Classifies a storage error for the journal. Pure. Source: reliability-security 1 (first storage error). */
import { errorCode, JournalClosedError } from './journal-errors.ts';
import type { ModeCause } from './journal.ts';
import { SyncFailedError } from './sync-guard.ts';

export interface WriteFailure {
  readonly store: string;
  readonly cause: unknown;
}

/**
 * The mode's cause after an error. The content of the disk is known only if no sync has failed, so only then can this process
 * resume work.
 */
export function causeOf(error: unknown): ModeCause {
  if (rootOf(error) instanceof SyncFailedError) return 'StorageError';
  if (isVolumeFull(error)) return 'DiskFull';
  return codeOf(error) === 'EROFS' ? 'ReadOnlyVolume' : 'StorageError';
}

/** The code of an error, or of what caused it. */
export function codeOf(error: unknown): string | undefined {
  return errorCode(rootOf(error));
}

/** No space, or none for this user. */
export function isVolumeFull(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

function rootOf(error: unknown): unknown {
  return error instanceof JournalClosedError ? rootOf(error.cause) : error;
}
