import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeWordTable } from '../../../../scripts/encode-word-table.ts';
import { verifies } from '../../../../test/verifies.ts';
import { dot, meaningOfWords, type Meaning } from './text-vector.ts';
import { parseWordTable } from './word-table.ts';

const words = ['the', 'of', 'cat', 'kitten', 'stone'];
const vectors = [
  [2, 0, 0],
  [2, 0.5, 0],
  [1, 3, 0.5],
  [1, 2.5, 0.25],
  [1, 0, -3],
];

function meaningOf(table: readonly string[], rows: readonly (readonly number[])[]): Meaning {
  const parsed = parseWordTable(encodeWordTable(table, rows));
  if (!parsed.ok) throw new Error(parsed.error);
  return meaningOfWords(parsed.value);
}

const sum = (rows: readonly (readonly number[])[]): number[] =>
  rows.reduce<number[]>((all, row) => all.map((value, at) => value + (row[at] ?? 0)), [0, 0, 0]);
const times = (factor: number, row: readonly number[]): number[] => row.map((value) => factor * value);
const scalar = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((all, value, at) => all + value * (b[at] ?? 0), 0);
const unit = (row: readonly number[]): number[] => times(1 / Math.hypot(...row), row);

/** The formula, written once more without a table. */
function expected(text: readonly number[]): readonly number[] {
  const weighed = vectors.map((row, rank) => {
    const p = 1 / ((rank + 1) * (Math.log(words.length) + 0.577));
    return times(1e-3 / (1e-3 + p), row);
  });
  const common = unit(sum(weighed));
  const whole = sum(text.map((at) => weighed[at] ?? []));
  return unit(sum([whole, times(-scalar(whole, common), common)]));
}

describe('the vector of a text', () => {
  const meaning = meaningOf(words, vectors);

  const texts: readonly (readonly [string, readonly number[]])[] = [
    ['cat', [2]],
    ['The cat of the STONE!', [0, 2, 1, 0, 4]],
    ['kitten, kitten; cat', [3, 3, 2]],
    ['a cat', [2]],
  ];
  for (const [text, at] of texts)
    verifies('recall:vector', `follows the formula: ${text}`, () => {
      const vector = meaning.vectorOf(text);
      const wanted = expected(at);
      // A byte for each component leaves this much open.
      for (const [component, value] of wanted.entries())
        expect(Math.abs((vector?.[component] ?? 0) - value)).toBeLessThan(0.02);
    });

  verifies('recall:vector', 'has length 1, and points where like words point', () => {
    const [cat, kitten, stone] = ['cat', 'kitten', 'stone'].map((word) => meaning.vectorOf(word));
    if (cat === undefined || kitten === undefined || stone === undefined) throw new Error('no vector');
    expect(dot(cat, cat)).toBeCloseTo(1, 5);
    expect(dot(cat, kitten)).toBeGreaterThan(0.9);
    expect(dot(cat, stone)).toBeLessThan(0.3);
  });

  it('is none for a text of mostly unknown words, or of none', () => {
    expect(meaning.vectorOf('')).toBeUndefined();
    expect(meaning.vectorOf('?!')).toBeUndefined();
    expect(meaning.vectorOf('cat hund vogel')).toBeUndefined();
    expect(meaning.vectorOf('cat hund')).toBeDefined();
  });

  it('has the same numbers for the same text, whatever the text is', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words, 'unknown', '猫')), (parts) => {
        const text = parts.join(' ');
        const vector = meaning.vectorOf(text);
        expect(meaning.vectorOf(text)).toEqual(vector);
        if (vector !== undefined) expect(dot(vector, vector)).toBeCloseTo(1, 4);
      }),
    );
  });
});
