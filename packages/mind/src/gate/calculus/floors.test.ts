import { LEVEL_SCHEME_NAMES, levelsOf } from '@retainer/contract/api/levels';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { FLOORS, floorOf, GATE_VERDICTS, type FloorId, type FloorQuestion } from './floors.ts';
import { normOf } from './norm.ts';
import type { Severity } from './pair-rules.ts';

const modify = 0.4;
const reject = 0.7;
const quiet: FloorQuestion = { scheme: 'Springdrift', pairs: [], isCatastrophic: false, score: 0, modify, reject };

const pair = (severity: Severity, systemOrdinal: number): FloorQuestion['pairs'][number] => ({
  severity,
  systemOrdinal,
});
const paper = (systemOrdinal: number): Partial<FloorQuestion> => ({
  scheme: 'Paper',
  pairs: [pair('Superordinate', systemOrdinal)],
});
const coordinates = [pair('Coordinate', 1000), pair('Coordinate', 6000)];

/** Each of them makes its own floor hold, and no earlier one. */
const alone: Readonly<Record<FloorId, Partial<FloorQuestion>>> = {
  'floor-1-absolute-prohibition': { pairs: [pair('Absolute', 6000)] },
  'floor-2-superordinate-legal': { pairs: [pair('Superordinate', 5000)] },
  'floor-3-discrepancy-reject': { score: reject },
  'floor-4-catastrophic-superordinate': { pairs: [pair('Superordinate', 100)], isCatastrophic: true },
  'floor-5-multiple-coordinate': { pairs: coordinates },
  'floor-6-discrepancy-modify': { score: modify },
  'floor-7-middle-superordinate': { pairs: [pair('Superordinate', 3000)] },
  'floor-8-flourishing': {},
};

const decided = (question: Partial<FloorQuestion>): FloorId => floorOf({ ...quiet, ...question }).id;
const entries = Object.entries(alone) as [FloorId, Partial<FloorQuestion>][];

describe('a floor', () => {
  verifies('calculus:floors', 'decides alone, each with its verdict', () => {
    expect(entries.map(([, question]) => decided(question))).toEqual(FLOORS.map(({ id }) => id));
    const verdicts = entries.map(([, question]) => GATE_VERDICTS[floorOf({ ...quiet, ...question }).verdict]);
    expect(verdicts).toEqual(['Reject', 'Reject', 'Reject', 'Modify', 'Modify', 'Modify', 'Modify', 'Accept']);
  });

  it.each<[string, Partial<FloorQuestion>, FloorId]>([
    ['a hair below reject', { score: reject - 1e-9 }, 'floor-6-discrepancy-modify'],
    ['a hair below modify', { score: modify - 1e-9 }, 'floor-8-flourishing'],
    ['the lowest middle level', { pairs: [pair('Superordinate', 3000)] }, 'floor-7-middle-superordinate'],
    ['the highest middle level', { pairs: [pair('Superordinate', 4500)] }, 'floor-7-middle-superordinate'],
    [
      'a level between the middle and the law',
      { pairs: [pair('Superordinate', 4999)] },
      'floor-7-middle-superordinate',
    ],
    ['professional ethics of the paper', paper(2000), 'floor-7-middle-superordinate'],
    ['safety of the paper', paper(3500), 'floor-7-middle-superordinate'],
    ['economy in the paper', paper(1500), 'floor-8-flourishing'],
    ['a level below the middle', { pairs: [pair('Superordinate', 2999)] }, 'floor-8-flourishing'],
    ['one coordinate pair', { pairs: [pair('Coordinate', 6000)] }, 'floor-8-flourishing'],
    ['catastrophe without conflict', { isCatastrophic: true, pairs: coordinates.slice(1) }, 'floor-8-flourishing'],
    ['a high level without conflict', { pairs: [pair('NoConflict', 6000)] }, 'floor-8-flourishing'],
  ])('at its border: %s', (_name, question, expected) => {
    expect(decided(question)).toBe(expected);
  });

  verifies('calculus:floor-priorities', 'gives way to every earlier one that holds as well', () => {
    expect(decided({ ...alone['floor-1-absolute-prohibition'], score: 1 })).toBe('floor-1-absolute-prohibition');
    expect(decided({ ...alone['floor-2-superordinate-legal'], score: 0.5 })).toBe('floor-2-superordinate-legal');
    for (const [first, [earlier, question]] of entries.entries())
      for (const [, other] of entries.slice(first + 1)) {
        const both = {
          ...other,
          ...question,
          pairs: [...(other.pairs ?? []), ...(question.pairs ?? [])],
          score: Math.max(other.score ?? 0, question.score ?? 0),
          isCatastrophic: question.isCatastrophic ?? false,
        };
        expect(decided(both)).toBe(earlier);
      }
  });

  it('is never made milder by one more conflict or a higher score', () => {
    const strictness = { Flourishing: 0, Constrained: 1, Prohibited: 2 };
    const severities: readonly Severity[] = ['NoConflict', 'Coordinate', 'Superordinate', 'Absolute'];
    const pairs = fc.array(
      fc.record({ severity: fc.constantFrom(...severities), systemOrdinal: fc.integer({ min: 100, max: 6000 }) }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(
        pairs,
        pairs,
        fc.boolean(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (few, more, isCatastrophic, score) => {
          const before = floorOf({ ...quiet, pairs: few, score: score / 2 });
          const after = floorOf({ ...quiet, pairs: [...few, ...more], isCatastrophic, score });
          expect(strictness[after.verdict]).toBeGreaterThanOrEqual(strictness[before.verdict]);
        },
      ),
    );
  });

  verifies('calculus:floors-of-schemes', 'looks at ordinals: the levels that it is about in each scheme', () => {
    const levelsWith = (id: FloorId): readonly (readonly string[])[] =>
      LEVEL_SCHEME_NAMES.map((scheme) =>
        levelsOf(scheme).filter((level) => {
          const { ordinal } = normOf(scheme, { level, operator: 'Ought', modality: 'Possible' });
          return decided({ scheme, pairs: [pair('Superordinate', ordinal)] }) === id;
        }),
      );
    expect(levelsWith('floor-2-superordinate-legal')).toEqual(LEVEL_SCHEME_NAMES.map(() => ['EthicalMoral', 'Legal']));
    expect(levelsWith('floor-7-middle-superordinate')).toEqual([
      ['SafetyPhysical', 'PrivacyData', 'IntellectualHonesty', 'ProfessionalEthics'],
      ['Prudential', 'SocialPolitical', 'SafetyPhysical', 'Environmental', 'Community', 'ProfessionalEthics'],
      [
        'Prudential',
        'SocialPolitical',
        'ScientificTechnical',
        'Environmental',
        'CulturalReligious',
        'Community',
        'CodeOfConduct',
        'Economic',
        'ProfessionalOrganizational',
      ],
    ]);
  });
});
