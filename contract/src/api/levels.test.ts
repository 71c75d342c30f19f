import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { LEVEL_SCHEME_NAMES, LEVEL_SCHEMES, levelOrdinal, levelsOf, schemesWith } from './levels.ts';

describe('a level scheme', () => {
  verifies('api:level-schemes', 'has as many levels as its source, each below the one before', () => {
    const sizes = LEVEL_SCHEME_NAMES.map((scheme) => [scheme, levelsOf(scheme).length]);
    expect(Object.fromEntries(sizes)).toStrictEqual({ Springdrift: 14, Paper: 11, TallMountain: 14 });
    for (const scheme of LEVEL_SCHEME_NAMES) {
      const ordinals = Object.values(LEVEL_SCHEMES[scheme]);
      expect(ordinals).toStrictEqual([...new Set(ordinals)].toSorted((a, b) => b - a));
    }
  });

  it.each([
    ['Springdrift', 'SafetyPhysical', 4500],
    ['Paper', 'SafetyPhysical', 3500],
    ['TallMountain', 'SafetyPhysical', undefined],
    ['TallMountain', 'Aesthetic', 500],
    ['Springdrift', 'Aesthetic', 250],
  ] as const)('%s has %s at %s', (scheme, level, ordinal) => {
    expect(levelOrdinal(scheme, level)).toBe(ordinal);
  });

  it('knows which schemes have a level', () => {
    expect(schemesWith('Legal')).toStrictEqual(['Springdrift', 'Paper', 'TallMountain']);
    expect(schemesWith('Prudential')).toStrictEqual(['Paper', 'TallMountain']);
  });
});
