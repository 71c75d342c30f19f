/** Decodes bytes that must be UTF-8. Replacing invalid bytes would give the gate another text to judge. */
import { err, ok, type Result } from '@retainer/contract/std/result';

/** @returns the text without a byte order mark; the error says which byte, from 0, cannot be read */
export function decodeText(bytes: Uint8Array): Result<string, string> {
  try {
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // A TextDecoder reports bytes that are no UTF-8 only by throwing.
    return err(`byte ${firstUnreadable(bytes)}: not UTF-8; convert the input to UTF-8`);
  }
}

/** Bisects: a prefix that decodes is valid up to its end, a cut character at the end included. */
function firstUnreadable(bytes: Uint8Array): number {
  let [low, high] = [0, bytes.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isBegun(bytes.subarray(0, middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}

function isBegun(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
