import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { TextIndex, type FoundTexts, type TextRecord } from './text-index.ts';

const chat: readonly TextRecord[] = [
  { id: 'a1', group: 'a', when: '3 May 2026', text: 'Shall we paint the kitchen this week?' },
  { id: 'a2', group: 'a', when: '3 May 2026', text: 'Which colour would suit the tiles?' },
  { id: 'a3', group: 'a', when: '3 May 2026', text: 'Yellow, I think.' },
  { id: 'a4', group: 'a', when: '3 May 2026', text: 'Then let us buy brushes.' },
  { id: 'b1', group: 'b', when: '9 June 2026', text: 'The train to Porto leaves at eight.' },
  { id: 'b2', group: 'b', when: '9 June 2026', text: 'I packed the yellow raincoat.' },
  { id: 'c1', text: 'The printer is out of paper.' },
];

function indexOf(records: readonly TextRecord[]): TextIndex {
  const index = new TextIndex();
  for (const record of records) index.add(record);
  return index;
}

const ids = ({ found }: FoundTexts): readonly string[] => found.map(({ id }) => id);

describe('free text', () => {
  const index = indexOf(chat);

  verifies('recall:neighbours', 'is found beside the record that has the words, and handed over with it', () => {
    const { found } = index.find({ text: 'What colour did we choose for the tiles?', count: 3 });
    expect(found[0]).toMatchObject({ id: 'a2', neighbours: ['a1', 'a3'] });
    expect(found.map(({ id }) => id)).toContain('a3');
  });

  verifies(
    'recall:neighbours',
    'of the run or thread that is asked about comes before the same words elsewhere',
    () => {
      const [first] = ids(index.find({ text: 'yellow in the kitchen', count: 2 }));
      expect(first?.startsWith('a')).toBe(true);
    },
  );

  it('is found by its date', () => {
    expect(ids(index.find({ text: 'June', count: 2 })).toSorted()).toEqual(['b1', 'b2']);
  });

  it('that stands alone is found without neighbours', () => {
    const { found } = index.find({ text: 'printer paper', count: 1 });
    expect(found).toEqual([
      {
        id: 'c1',
        score: 1,
        signals: { lexical: 1, meaning: 0, weight: 1 },
        matched: ['printer', 'paper'],
        neighbours: [],
      },
    ]);
  });

  it('is not found by words that it does not have, nor below the least score', () => {
    expect(index.find({ text: 'zeppelin', count: 5 }).found).toEqual([]);
    expect(ids(index.find({ text: 'yellow', count: 5, minScore: 0.99 }))).toHaveLength(1);
  });

  it('counts by its weight, and not at all at 0', () => {
    const all = ids(index.find({ text: 'yellow', count: 9 }));
    const weightOf = (id: string): number => (id === all[0] ? 0 : 0.5);
    expect(ids(index.find({ text: 'yellow', count: 9, weightOf }))).toEqual(all.slice(1));
  });

  it('in a script without blanks is found by pairs of its characters', () => {
    const chinese = indexOf([
      { id: '1', text: '计算三月份的销售总额' },
      { id: '2', text: '今天的天气很好' },
    ]);
    expect(ids(chinese.find({ text: '销售总额是多少', count: 1 }))).toEqual(['1']);
  });
});

describe('meaning', () => {
  const near = Float32Array.from([1, 0]);
  const far = Float32Array.from([0, 1]);
  const index = new TextIndex();
  index.add({ id: 'near', text: 'the kitten slept' }, near);
  index.add({ id: 'far', text: 'a stone fell' }, far);
  index.add({ id: 'none', text: 'кошка спала' });

  verifies('recall:words-first', 'finds what words cannot, and is all that counts where no word is found', () => {
    const { found, wordsTrusted } = index.find({ text: 'cat', vector: near, count: 3 });
    expect(wordsTrusted).toBe(0);
    expect(found.map(({ id, score }) => ({ id, score }))).toEqual([{ id: 'near', score: 1 }]);
  });

  verifies('recall:words-first', 'counts a tenth where a record has all words of the query', () => {
    const { found, wordsTrusted } = index.find({ text: 'stone', vector: near, count: 3 });
    expect(wordsTrusted).toBeCloseTo(0.9, 9);
    expect(found.map(({ id }) => id)).toEqual(['far', 'near']);
    expect(found[0]?.score).toBeCloseTo(0.9, 6);
    expect(found[1]?.score).toBeCloseTo(0.1, 6);
  });

  verifies('recall:words-first', 'is not asked for a query or a record without a vector', () => {
    expect(index.find({ text: 'stone', count: 3 }).wordsTrusted).toBe(1);
    expect(index.find({ text: 'кошка stone', vector: near, count: 3 }).found.map(({ id }) => id)).toContain('none');
  });
});

describe('an index that changed', () => {
  const record = fc.record({
    id: fc.constantFrom('1', '2', '3', '4', '5'),
    group: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
    text: fc
      .array(fc.constantFrom('red', 'green', 'blue', 'sky', 'sea'), { minLength: 1, maxLength: 6 })
      .map((it) => it.join(' ')),
    vector: fc.option(fc.constantFrom([1, 0], [0.6, 0.8], [0, 1]), { nil: undefined }),
  });
  const step = fc.oneof({ weight: 3, arbitrary: record }, fc.constantFrom('1', '2', '3', '4', '5'));

  it('answers as one that was made of what is left', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const index = new TextIndex();
        const left = new Map<string, readonly [TextRecord, Float32Array | undefined]>();
        for (const it of steps) {
          const id = typeof it === 'string' ? it : it.id;
          left.delete(id);
          if (typeof it === 'string') {
            index.remove(it);
            continue;
          }
          const { group, vector, ...rest } = it;
          const added: TextRecord = group === undefined ? rest : { ...rest, group };
          const direction = vector === undefined ? undefined : Float32Array.from(vector);
          index.add(added, direction);
          left.set(id, [added, direction]);
        }
        const fresh = new TextIndex();
        for (const [added, direction] of left.values()) fresh.add(added, direction);
        expect(index.size).toBe(left.size);
        for (const vector of [undefined, Float32Array.from([0.8, 0.6])]) {
          const query = { text: 'red sky', vector, count: 9 };
          const [own, wanted] = [index.find(query), fresh.find(query)];
          expect(ids(own)).toEqual(ids(wanted));
          for (const [at, it] of own.found.entries()) expect(it.score).toBeCloseTo(wanted.found[at]?.score ?? 0, 6);
          expect(own.found.map((it) => it.neighbours)).toEqual(wanted.found.map((it) => it.neighbours));
        }
      }),
    );
  });
});
