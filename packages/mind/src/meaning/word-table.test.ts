import { describe, expect, it } from 'vitest';
import { encodeWordTable } from '../../../../scripts/encode-word-table.ts';
import { verifies } from '../../../../test/verifies.ts';
import { parseWordTable } from './word-table.ts';

const words = ['the', 'cat', 'naïve'];
const vectors = [
  [0.5, -0.25, 0],
  [1, 2, -3],
  [0, 0, 0],
];

const changed = (at: number, value: number): Uint8Array => {
  const bytes = encodeWordTable(words, vectors);
  bytes[at] = value;
  return bytes;
};

describe('a table of words', () => {
  it('gives back its words and, to half a step, its vectors', () => {
    const parsed = parseWordTable(encodeWordTable(words, vectors));
    expect(parsed.ok).toBe(true);
    if (!parsed.ok) return;
    const { dimensions, rowOf, scales, rows } = parsed.value;
    expect([...rowOf]).toEqual(words.map((word, row) => [word, row]));
    for (const [row, vector] of vectors.entries())
      for (const [at, value] of vector.entries())
        expect(Math.abs((rows[row * dimensions + at] ?? 0) * (scales[row] ?? 0) - value)).toBeLessThanOrEqual(
          (scales[row] ?? 0) / 2 + 1e-6,
        );
  });

  it('reads the middle of a larger block of memory, as a file is read', () => {
    const bytes = encodeWordTable(words, vectors);
    const block = new Uint8Array(bytes.length + 13);
    block.set(bytes, 7);
    expect(parseWordTable(block.subarray(7, 7 + bytes.length))).toEqual(parseWordTable(bytes));
  });

  const table = encodeWordTable(words, vectors);
  const damaged: readonly (readonly [string, Uint8Array, RegExp])[] = [
    ['nothing', new Uint8Array(0), /does not begin/],
    ['another file', new TextEncoder().encode('{"words": ["the", "of", "and"]}'), /does not begin/],
    ['half of it', table.subarray(0, table.length / 2), /bytes; its header says/],
    ['more than it', new Uint8Array([...table, 0]), /bytes; its header says/],
    ['another count', changed(8, 200), /bytes; its header says/],
    ['a changed word', changed(24, 0x58), /checksum/],
    ['a changed component', changed(table.length - 1, 77), /checksum/],
    ['a changed checksum', changed(20, (table[20] ?? 0) ^ 1), /checksum/],
  ];
  for (const [name, bytes, reason] of damaged)
    verifies('recall:damaged-table', `is refused if it is ${name}`, () => {
      const parsed = parseWordTable(bytes);
      expect(parsed).toEqual({ ok: false, error: expect.stringMatching(reason) as string });
    });
});
