import { describe, expect, it } from 'vitest';
import { compareHeads, type FoundStore } from './compare-heads.ts';

const head = (seq: number, hash = `hash-${seq}`) => ({ store: 'alpha', seq, hash, epoch: 1 });
const kept = [head(9), head(19), head(29)];

const found = (lastSeq: number, hashes: Readonly<Record<number, string>>): FoundStore => ({
  store: 'alpha',
  exists: true,
  lastSeq,
  met: new Map(
    Object.entries(hashes).map(([seq, hash]) => [Number(seq), { hash, file: 'segment.jsonl', line: Number(seq) + 1 }]),
  ),
});

const all = { 9: 'hash-9', 19: 'hash-19', 29: 'hash-29' };

describe('compareHeads', () => {
  it.each([
    { name: 'a store that grew', now: found(40, all), expected: [] },
    { name: 'a store that stayed', now: found(29, all), expected: [] },
    { name: 'a cut tail', now: found(28, { 9: 'hash-9', 19: 'hash-19' }), expected: [['TailCut', 29]] },
    { name: 'an emptied store', now: found(-1, {}), expected: [['TailCut', 9]] },
    { name: 'a missing store', now: { ...found(-1, {}), exists: false }, expected: [['StoreMissing', 29]] },
    { name: 'a rewritten suffix', now: found(40, { ...all, 19: 'x', 29: 'y' }), expected: [['SuffixRewritten', 19]] },
    {
      name: 'a suffix rewritten and shorter',
      now: found(25, { 9: 'hash-9', 19: 'x' }),
      expected: [
        ['SuffixRewritten', 19],
        ['TailCut', 29],
      ],
    },
    { name: 'a gap', now: found(40, { 9: 'hash-9', 29: 'hash-29' }), expected: [['HeadMissing', 19]] },
  ])('judges $name', ({ now, expected }) => {
    expect(compareHeads(kept, now).map(({ kind, seq }) => [kind, seq])).toEqual(expected);
  });

  it('has nothing to say where no head is kept', () => {
    expect(compareHeads([], found(-1, {}))).toEqual([]);
  });

  it('names the place and the last head that still stands', () => {
    const [finding] = compareHeads(kept, found(40, { ...all, 29: 'y' }));
    expect(finding).toMatchObject({ file: 'alpha/segment.jsonl', line: 30 });
    expect(finding?.detail).toContain('the head at sequence 19 is still in the store');
  });
});
