/**
 * When the next backup is due, and when one is late. Pure.
 *
 * It is due each interval, soon after a run ended, and after a failure later and later.
 */
import { LATE_INTERVALS } from '@retainer/contract/api/backup-note';
import { backoffMs, type BackoffPolicy } from '@retainer/contract/std/backoff';

/** Of a monotonic clock. */
export interface BackupTimes {
  readonly startedMs: number;
  /** Undefined: none yet. */
  readonly lastTryMs: number | undefined;
  /** In a row. */
  readonly failures: number;
  /** When the first run since the last try ended. */
  readonly runEndedMs: number | undefined;
}

/** Most of what is remembered of a run is written by then. */
export const AFTER_RUN_MS = 1_000;
/** Runs that end one after the other share a commit. */
const BETWEEN_MS = 5_000;
/** The first try: a start is the moment to see that it fails. */
const AFTER_START_MS = 10_000;

const retryDelay: BackoffPolicy = { initialMs: 5_000, factor: 2, ceilingMs: 300_000, jitterRatio: 0 };

/** @param failures  in a row, from 1 */
export function retryMs(failures: number): number {
  return backoffMs(retryDelay, failures - 1, 0);
}

export function nextBackupMs(times: BackupTimes, intervalMs: number): number {
  const { startedMs, lastTryMs, failures, runEndedMs } = times;
  if (lastTryMs !== undefined && failures > 0) return lastTryMs + retryMs(failures);
  const regularMs = lastTryMs === undefined ? startedMs + AFTER_START_MS : lastTryMs + intervalMs;
  if (runEndedMs === undefined) return regularMs;
  return Math.min(regularMs, Math.max(runEndedMs + AFTER_RUN_MS, (lastTryMs ?? startedMs) + BETWEEN_MS));
}

/** @param unsavedSinceMs  when the oldest record came that is not in the copy, milliseconds since 1970; undefined: all are */
export function isCopyLate(unsavedSinceMs: number | undefined, intervalMs: number, nowMs: number): boolean {
  return unsavedSinceMs !== undefined && nowMs - unsavedSinceMs > LATE_INTERVALS * intervalMs;
}
