/** Whether the result of a job says what its last delivered one said. Source: issue "Jobs", build 1 (`onlyIfChanged`). */
import { sha256Hex } from '@retainer/contract/std/hash';
import type { RunCause } from './run-cause.ts';

/** What a model is asked to answer where it has found nothing new. */
const UNCHANGED = 'unchanged';

/** SHA-256 of a summary, whatever its white space: trimmed, and one space for each run of it. */
export function resultDigest(summary: string): string {
  return sha256Hex(summary.trim().replaceAll(/\s+/g, ' '));
}

/** False where every result is delivered, and for the first result of a job, with which there is nothing to compare. */
export function isUnchanged(cause: RunCause, summary: string): boolean {
  if (cause.kind !== 'Job' || cause.lastResultDigest === undefined) return false;
  const said = summary
    .replaceAll(/[\p{P}\p{S}]/gu, '')
    .trim()
    .toLowerCase();
  return said === UNCHANGED || resultDigest(summary) === cause.lastResultDigest;
}
