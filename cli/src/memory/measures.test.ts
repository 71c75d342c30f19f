import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { bootstrapInterval, mean, ndcgAt, precisionAt, recallAt, reciprocalRank } from './measures.ts';

const relevant = new Set(['a', 'b', 'c']);

describe('a ranking', () => {
  const ranked = ['x', 'a', 'y', 'b', 'c'];

  verifies('recall:bench', 'has the measures of the field', () => {
    expect(precisionAt(4, ranked, relevant)).toBe(2 / 4);
    expect(recallAt(4, ranked, relevant)).toBe(2 / 3);
    expect(reciprocalRank(ranked, relevant)).toBe(1 / 2);
    const gains = 1 / Math.log2(3) + 1 / Math.log2(5);
    expect(ndcgAt(4, ranked, relevant)).toBeCloseTo(gains / (1 + 1 / Math.log2(3) + 1 / Math.log2(4)), 12);
    expect(ndcgAt(3, ['a', 'b', 'c'], relevant)).toBe(1);
  });

  it('of nothing is worth nothing', () => {
    for (const [found, wanted] of [
      [[], relevant],
      [['x'], new Set<string>()],
    ] as const) {
      expect([recallAt(4, found, wanted), reciprocalRank(found, wanted), ndcgAt(4, found, wanted)]).toEqual([0, 0, 0]);
    }
    expect(mean([])).toBe(0);
  });
});

describe('an interval', () => {
  it('holds the mean, narrows with more values, and is the same each time', () => {
    const values = (count: number): readonly (readonly number[])[] =>
      Array.from({ length: count }, (_, at) => [at % 4 === 0 ? 0 : 1]);
    const [low, high] = bootstrapInterval(values(40));
    const [lowOfMore, highOfMore] = bootstrapInterval(values(4000));
    expect(low).toBeLessThan(0.75);
    expect(high).toBeGreaterThan(0.75);
    expect(highOfMore - lowOfMore).toBeLessThan((high - low) / 5);
    expect(bootstrapInterval(values(40))).toEqual([low, high]);
  });

  it('draws whole groups', () => {
    const [low, high] = bootstrapInterval([Array<number>(50).fill(0), Array<number>(50).fill(1)]);
    expect([low, high]).toEqual([0, 1]);
  });
});
