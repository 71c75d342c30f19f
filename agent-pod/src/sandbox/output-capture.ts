/** Keeps the head of one output stream up to a limit; counts and drops the rest, so that a flood costs no memory. */

export class OutputCapture {
  readonly #limitBytes: number;
  readonly #chunks: Uint8Array[] = [];
  #keptBytes = 0;
  #totalBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  add(chunk: Uint8Array): void {
    this.#totalBytes += chunk.length;
    const room = this.#limitBytes - this.#keptBytes;
    if (room <= 0) return;
    // A copy, so that a small rest does not hold the whole read buffer.
    const kept = Uint8Array.from(chunk.subarray(0, room));
    this.#chunks.push(kept);
    this.#keptBytes += kept.length;
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Text never ends inside a character: an incomplete one at the cut counts as dropped. Other invalid bytes become U+FFFD. */
  finish(): { readonly text: string; readonly droppedBytes: number } {
    const bytes = Buffer.concat(this.#chunks);
    const wasCut = this.#totalBytes > this.#keptBytes;
    const kept = wasCut ? bytes.subarray(0, completeLength(bytes)) : bytes;
    return { text: kept.toString('utf8'), droppedBytes: this.#totalBytes - kept.length };
  }
}

const LONGEST_CHARACTER_BYTES = 4;

/** Where the last whole UTF-8 character ends. */
function completeLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(LONGEST_CHARACTER_BYTES, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes.length;
    if (byte >= 0xc0) return characterBytes(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function characterBytes(firstByte: number): number {
  if (firstByte >= 0xf0) return 4;
  return firstByte >= 0xe0 ? 3 : 2;
}
