/**
 * Which letter it is: the same for each copy, wherever it lies and however its lines end.
 *
 * Source: reliability-security 5 (Message-ID and hash of the canonical body).
 */
import { createHash } from 'node:crypto';

const LF = 0x0a;
/** Bytes that are hashed at once: a call for each line would take a second for a letter of short ones. */
const BLOCK_BYTES = 65_536;

/** SHA-256, hexadecimal, of the lines without white space at their ends and without empty lines at the end. */
export function bodyDigestOf(body: Uint8Array): string {
  const hash = createHash('sha256');
  const block = new Uint8Array(BLOCK_BYTES);
  let used = 0;
  const put = (byte: number): void => {
    block[used] = byte;
    used += 1;
    if (used < BLOCK_BYTES) return;
    hash.update(block);
    used = 0;
  };
  // Line ends and blanks wait until something follows them that counts.
  let lineEnds = 0;
  let blanksFrom = -1;
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index] ?? 0;
    if (byte === LF) {
      lineEnds += 1;
      blanksFrom = -1;
    } else if (isBlank(byte)) {
      if (blanksFrom === -1) blanksFrom = index;
    } else {
      for (; lineEnds > 0; lineEnds -= 1) put(LF);
      const first = blanksFrom === -1 ? index : blanksFrom;
      for (let at = first; at <= index; at += 1) put(body[at] ?? 0);
      blanksFrom = -1;
    }
  }
  return hash.update(block.subarray(0, used)).digest('hex');
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** `m-` and 20 hexadecimal digits. */
export function letterIdOf(messageId: string | undefined, bodyDigest: string): string {
  const digest = createHash('sha256')
    .update(`${messageId ?? ''}\n${bodyDigest}`)
    .digest('hex');
  return `m-${digest.slice(0, 20)}`;
}
