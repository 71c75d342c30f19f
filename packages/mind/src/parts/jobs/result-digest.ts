/** Whether two results of a job say the same. */
import { sha256Hex } from '@retainer/contract/std/hash';

/** Of a result without the differences of its layout. */
export function resultDigest(summary: string): string {
  return sha256Hex(summary.trim().replaceAll(/\s+/g, ' '));
}

/** The one word by which a model says that nothing is new: with full stops, capitals and marks around it, or without. */
export function saysUnchanged(summary: string): boolean {
  return (
    summary
      .replaceAll(/[^\p{L}\s]/gu, '')
      .trim()
      .toLowerCase() === 'unchanged'
  );
}
