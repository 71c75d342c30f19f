/**
 * The table of word vectors: bytes in, words and vectors out.
 *
 * | bytes | what |
 * |---|---|
 * | 8 | `RTWORDS1` |
 * | 4 × 4 | words, dimensions, bytes of the words, checksum of all that follows (FNV-1a); unsigned, little endian |
 * | … | the words, most frequent first, each ended by a line feed |
 * | words × 4 | the scale of each row; 32-bit float, little endian |
 * | words × dimensions | the rows; signed bytes, times their scale |
 *
 * Source: libraries 3 (word vectors as bytes with a scale per row).
 */
import { err, ok, type Result } from '@retainer/contract/std/result';

export interface WordTable {
  readonly dimensions: number;
  /** The row of a word, which is its rank by frequency, from 0. */
  readonly rowOf: ReadonlyMap<string, number>;
  /** One for each row. */
  readonly scales: Float32Array;
  /** Row after row. */
  readonly rows: Int8Array;
}

export const MAGIC = 'RTWORDS1';
export const HEADER_BYTES = 24;
const SCALE_BYTES = 4;

/** @returns what is wrong with damaged bytes */
export function parseWordTable(bytes: Uint8Array): Result<WordTable, string> {
  if (bytes.length < HEADER_BYTES || new TextDecoder().decode(bytes.subarray(0, MAGIC.length)) !== MAGIC)
    return err('it does not begin like a table of word vectors');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = view.getUint32(8, true);
  const dimensions = view.getUint32(12, true);
  const scalesAt = HEADER_BYTES + view.getUint32(16, true);
  const rowsAt = scalesAt + count * SCALE_BYTES;
  const sizeBytes = rowsAt + count * dimensions;
  if (bytes.length !== sizeBytes) return err(`it has ${bytes.length} bytes; its header says ${sizeBytes}`);
  if (view.getUint32(HEADER_BYTES - 4, true) !== checksumOf(bytes)) return err('its checksum is wrong');
  const words = new TextDecoder().decode(bytes.subarray(HEADER_BYTES, scalesAt)).split('\n').slice(0, -1);
  if (words.length !== count) return err(`it has ${words.length} words; its header says ${count}`);
  return ok({
    dimensions,
    rowOf: new Map(words.map((word, row) => [word, row])),
    scales: Float32Array.from({ length: count }, (_, row) => view.getFloat32(scalesAt + row * SCALE_BYTES, true)),
    rows: new Int8Array(bytes.subarray(rowsAt)),
  });
}

/** FNV-1a over what follows the header. */
export function checksumOf(bytes: Uint8Array): number {
  let hash = 0x81_1c_9d_c5;
  for (let at = HEADER_BYTES; at < bytes.length; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01_00_01_93);
  return hash >>> 0;
}
