import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { driftOf, type JudgedOnce } from './drift.ts';

/** So many verdicts of each kind; restrained ones with a rule of their own each, so that none repeats. */
function verdicts(prohibited: number, constrained: number, flourishing: number): readonly JudgedOnce[] {
  const kinds = [
    ...Array.from({ length: prohibited }, () => 'Prohibited' as const),
    ...Array.from({ length: constrained }, () => 'Constrained' as const),
    ...Array.from({ length: flourishing }, () => 'Flourishing' as const),
  ];
  return kinds.map((verdict, at) => ({ verdict, axioms: verdict === 'Flourishing' ? [] : [`rule-${at}`] }));
}

const shared = (count: number, axiom: string): readonly JudgedOnce[] =>
  Array.from({ length: count }, () => ({ verdict: 'Constrained' as const, axioms: ['other', axiom].toSorted() }));

describe('drift', () => {
  verifies('calculus:drift', 'is found by the published vectors', () => {
    expect(driftOf(verdicts(1, 0, 4))).toEqual({
      kind: 'HighProhibitionRate',
      rate: 0.2,
      rateMax: 0.15,
      verdicts: 5,
    });
    expect(driftOf(verdicts(0, 4, 6))).toBeUndefined();
    expect(driftOf(verdicts(0, 5, 5))).toMatchObject({ kind: 'HighConstraintRate', rate: 0.5 });
    const repeated = [...shared(3, 'a').map((it) => ({ ...it, axioms: ['a'] })), ...verdicts(0, 1, 6)];
    expect(driftOf(repeated)).toMatchObject({ kind: 'RepeatedAxiom', axiom: 'a', rate: 0.75, verdicts: 4 });
    expect(driftOf(verdicts(2, 0, 13))).toMatchObject({ kind: 'OverRestriction', rate: 2 / 15 });
  });

  it.each<[string, readonly JudgedOnce[], string | undefined]>([
    ['four verdicts, all prohibited', verdicts(4, 0, 0), undefined],
    ['three prohibited of twenty: not above 0.15, but above 0.10', verdicts(3, 0, 17), 'OverRestriction'],
    ['two prohibited of twenty: not above 0.10', verdicts(2, 0, 18), undefined],
    ['one prohibited of nine: one is no habit', verdicts(1, 0, 8), undefined],
    ['prohibitions before constraints', verdicts(2, 6, 2), 'HighProhibitionRate'],
    ['two restrained by one axiom are too few', [...shared(2, 'a'), ...verdicts(0, 0, 8)], undefined],
    [
      'three of five are not above 0.60',
      [...shared(3, 'a').map((it) => ({ ...it, axioms: ['a'] })), ...verdicts(0, 2, 10)],
      undefined,
    ],
    ['verdicts before the last twenty are forgotten', [...verdicts(9, 0, 0), ...verdicts(0, 0, 20)], undefined],
    [
      'constrained without a trail',
      [...shared(3, 'a').map((it) => ({ ...it, axioms: [] })), ...verdicts(0, 0, 7)],
      undefined,
    ],
  ])('%s', (_name, given, expected) => {
    expect(driftOf(given)?.kind).toBe(expected);
  });

  it('names the most frequent axiom, of several the first by name', () => {
    expect(driftOf([...shared(4, 'b'), ...verdicts(0, 0, 8)])).toMatchObject({ axiom: 'b', rate: 1 });
    const more = [...shared(3, 'z').map((it) => ({ ...it, axioms: ['a', 'z'] })), ...shared(1, 'z')];
    expect(driftOf([...more, ...verdicts(0, 0, 8)])).toMatchObject({ axiom: 'z', rate: 1 });
  });
});
