import { checksumOf, HEADER_BYTES, MAGIC } from '@retainer/mind/meaning/word-table';

/** The table as `parseWordTable` reads it; a component deviates by at most half of its row's scale. */
export function encodeWordTable(words: readonly string[], vectors: readonly (readonly number[])[]): Uint8Array {
  const names = new TextEncoder().encode(words.map((word) => `${word}\n`).join(''));
  const dimensions = vectors[0]?.length ?? 0;
  const scalesAt = HEADER_BYTES + names.length;
  const rowsAt = scalesAt + words.length * Float32Array.BYTES_PER_ELEMENT;
  const bytes = new Uint8Array(rowsAt + words.length * dimensions);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode(MAGIC));
  for (const [at, value] of [words.length, dimensions, names.length].entries())
    view.setUint32(MAGIC.length + at * 4, value, true);
  bytes.set(names, HEADER_BYTES);
  for (const [row, vector] of vectors.entries()) {
    const scale = Math.fround(Math.max(...vector.map(Math.abs)) / 127) || 1;
    view.setFloat32(scalesAt + row * Float32Array.BYTES_PER_ELEMENT, scale, true);
    for (const [at, value] of vector.entries()) view.setInt8(rowsAt + row * dimensions + at, Math.round(value / scale));
  }
  view.setUint32(HEADER_BYTES - 4, checksumOf(bytes), true);
  return bytes;
}
