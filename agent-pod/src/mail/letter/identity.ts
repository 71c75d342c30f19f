/**
 * Which letter it is: the same for each copy, wherever it lies and however its lines end.
 *
 * Source: reliability-security 5.3 (Message-ID and hash of the canonical body).
 */
import { createHash } from 'node:crypto';

const LF = 0x0a;
const BLANK: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d, 0x0b, 0x0c]);

/** SHA-256, hexadecimal, of the lines without white space at their ends and without empty lines at the end. */
export function bodyDigestOf(body: Uint8Array): string {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const hash = createHash('sha256');
  let blanks = 0;
  // Lines are collected: a call of the hash for each would take a second for a letter of blank ones.
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  let used = 0;
  const put = (part: Buffer): void => {
    for (let from = 0; from < part.length;) {
      const taken = Math.min(part.length - from, BLOCK_BYTES - used);
      part.copy(block, used, from, from + taken);
      used += taken;
      from += taken;
      if (used === BLOCK_BYTES) {
        hash.update(block);
        used = 0;
      }
    }
  };
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(LF, start);
    const next = found === -1 ? bytes.length : found + 1;
    let end = found === -1 ? bytes.length : found;
    while (end > start && BLANK.has(bytes[end - 1] ?? 0)) end -= 1;
    if (end === start) blanks += 1;
    else {
      for (; blanks > 0; blanks -= 1) put(NEWLINE);
      put(bytes.subarray(start, end));
      put(NEWLINE);
    }
    start = next;
  }
  return hash.update(block.subarray(0, used)).digest('hex');
}

const BLOCK_BYTES = 65_536;
const NEWLINE = Buffer.from('\n');

/** `m-` and 20 hexadecimal digits. */
export function letterIdOf(messageId: string | undefined, bodyDigest: string): string {
  const digest = createHash('sha256')
    .update(`${messageId ?? ''}\n${bodyDigest}`)
    .digest('hex');
  return `m-${digest.slice(0, 20)}`;
}
