/** Whether the result of a job says what its last delivered one said. Source: springdrift 9 (only_if_changed). */
import { resultDigest, saysUnchanged } from '../parts/jobs/result-digest.ts';
import type { RunCause } from './run-cause.ts';

/** False where every result is delivered, and for the first result of a job, with which there is nothing to compare. */
export function isUnchanged(cause: RunCause, summary: string): boolean {
  if (cause.kind !== 'Job' || cause.lastResultDigest === undefined) return false;
  return saysUnchanged(summary) || resultDigest(summary) === cause.lastResultDigest;
}
