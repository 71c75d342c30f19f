import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { CaseIndex, type CaseQuery, type FoundCases } from './case-index.ts';
import { presets, type Weights } from './presets.ts';
import { utilityOf, type Problem, type RecallCase } from './recall-case.ts';

const empty: Problem = { intent: '', domain: '', keywords: [], entities: [], text: '' };
const problem = (some: Partial<Problem>): Problem => ({ ...empty, ...some });
const recallCase = (id: string, some: Partial<RecallCase>): RecallCase => ({
  ...empty,
  id,
  writtenAtMs: 0,
  shown: 0,
  succeeded: 0,
  ...some,
});

const rent = recallCase('rent', {
  intent: 'comparison',
  domain: 'property',
  keywords: ['rent', 'tenant', 'studio'],
  entities: ['Paris'],
  writtenAtMs: 1,
});
const lease = recallCase('lease', {
  intent: 'analysis',
  domain: 'property',
  keywords: ['lease', 'rent'],
  entities: ['Berlin'],
  writtenAtMs: 3,
  shown: 8,
  succeeded: 8,
});
const court = recallCase('court', {
  intent: 'comparison',
  domain: 'legal',
  keywords: ['court', 'appeal'],
  writtenAtMs: 2,
});

function indexOf(cases: readonly RecallCase[]): CaseIndex {
  const index = new CaseIndex();
  for (const it of cases) index.add(it);
  return index;
}

const find = (some: Partial<CaseQuery>): FoundCases =>
  indexOf([rent, lease, court]).find({ problem: empty, weights: presets.adaptive, count: 4, ...some });
const ids = ({ found }: FoundCases): readonly string[] => found.map(({ id }) => id);

describe('a case', () => {
  const asked = problem({ intent: 'comparison', domain: 'property', keywords: ['tenant', 'rent'] });

  verifies('recall:signals', 'is found with every signal that has a weight, and the terms that it has', () => {
    const weights: Weights = { adaptive: 0.5, index: 0.1, field: 0.1, recency: 0.1, domain: 0.1, utility: 0.1 };
    const [first] = find({ problem: asked, weights }).found;
    expect(first).toMatchObject({
      id: 'rent',
      decision: 0,
      signals: {
        adaptive: expect.closeTo(1, 9) as number,
        index: expect.closeTo(1, 9) as number,
        recency: 0,
        domain: 1,
        utility: 0.5,
      },
      matched: ['tenant', 'rent', 'property', 'comparison'],
    });
    expect(first?.signals.field).toBeCloseTo(0.3 + 0.3 + (0.25 * 2) / 3, 9);
    expect(first?.score).toBeCloseTo(0.5 + 0.1 + 0.1 * (0.6 + 0.5 / 3) + 0.1 + 0.05, 9);
  });

  it('counts a rare term more than a frequent one', () => {
    expect(ids(find({ problem: problem({ keywords: ['rent', 'court'] }) }))[0]).toBe('court');
  });

  it('is found by its words where the problem is only a text, and by its text where it is only that', () => {
    expect(ids(find({ problem: problem({ text: 'Which tenants live in studios?' }) }))[0]).toBe('rent');
    const said = indexOf([
      recallCase('1', { text: 'Compare rents of studios in Paris' }),
      recallCase('2', { text: 'Appeal to the court' }),
    ]);
    const weights = presets.adaptive;
    expect(ids(said.find({ problem: problem({ text: 'renting a studio' }), weights, count: 1 }))).toEqual(['1']);
    expect(ids(said.find({ problem: problem({ keywords: ['studio'] }), weights, count: 1 }))).toEqual(['1']);
  });

  verifies('recall:utility', 'is worth one half before it was used, then what came of its use', () => {
    expect([
      utilityOf({ shown: 0, succeeded: 0 }),
      utilityOf({ shown: 10, succeeded: 0 }),
      utilityOf({ shown: 10, succeeded: 10 }),
    ]).toEqual([1 / 2, 1 / 12, 11 / 12]);
    expect(ids(find({ problem: problem({ domain: 'property' }), weights: { domain: 0.9, utility: 0.1 } }))[0]).toBe(
      'lease',
    );
  });

  it('counts up to a quarter more or less by what came of acting like this before', () => {
    const plain = find({ problem: asked }).found;
    const warned = find({ problem: asked, decisionOn: (id) => (id === 'rent' ? -9 : 9) }).found;
    const scoreOf = (all: FoundCases['found'], id: string): number => all.find((it) => it.id === id)?.score ?? 0;
    expect(scoreOf(warned, 'rent') / scoreOf(plain, 'rent')).toBeCloseTo(0.75, 6);
    expect(scoreOf(warned, 'lease') / scoreOf(plain, 'lease')).toBeCloseTo(1.25, 6);
  });

  it('is newer by rank, whatever the time between', () => {
    const all = find({ problem: asked, weights: { recency: 1, domain: 0.001 } }).found;
    expect(all.map(({ id, signals }) => [id, signals.recency])).toEqual([
      ['lease', 1],
      ['court', 0.5],
      ['rent', 0],
    ]);
  });

  it('is not found below the least score, nor more than so many, and ties have the order of ids', () => {
    expect(find({ problem: asked, minScore: 0.97 }).found).toEqual([]);
    expect(ids(find({ problem: asked, count: 1 }))).toHaveLength(1);
    const same = indexOf(['b', 'c', 'a'].map((id) => recallCase(id, { keywords: ['rent'] })));
    expect(ids(same.find({ problem: problem({ keywords: ['rent'] }), weights: presets.index, count: 3 }))).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  it('that was removed, or written anew, is found as it is now', () => {
    const index = indexOf([rent, lease, court]);
    index.remove('rent');
    index.add({ ...court, keywords: ['tenant'] });
    expect(ids(index.find({ problem: problem({ keywords: ['tenant'] }), weights: presets.index, count: 4 }))).toEqual([
      'court',
    ]);
    expect(index.size).toBe(2);
  });
});

describe('vectors', () => {
  const near = Float32Array.from([1, 0]);
  const far = Float32Array.from([0, 1]);
  const index = new CaseIndex();
  index.add(recallCase('near', { text: 'kitten' }), near);
  index.add(recallCase('far', { text: 'stone' }), far);

  verifies('recall:words-first', 'decide where no case has the words of the problem', () => {
    const { found, wordsTrusted } = index.find({
      problem: problem({ text: 'cat' }),
      vector: near,
      weights: { adaptive: 1 },
      count: 2,
    });
    expect(wordsTrusted).toBe(0);
    expect(found.map(({ id, score }) => ({ id, score }))).toEqual([{ id: 'near', score: 1 }]);
  });

  verifies('recall:words-first', 'are made up for by the other signals where the problem has none', () => {
    const { found, wordsTrusted } = index.find({
      problem: problem({ text: 'stone' }),
      weights: presets.hybrid,
      count: 2,
    });
    expect(wordsTrusted).toBe(1);
    expect(found).toMatchObject([{ id: 'far', score: 1, signals: { index: 1 } }]);
  });
});
