import { LEVEL_SCHEME_NAMES, LEVEL_SCHEMES } from '@retainer/contract/api/levels';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { normsOf, parseNorm, renderNorm } from './norm.ts';

describe('a norm', () => {
  verifies('calculus:kinds', 'is one of 84 kinds, and its level has a place of its own in the order', () => {
    expect(normsOf('Springdrift')).toHaveLength(84);
    expect(Object.keys(LEVEL_SCHEMES.Springdrift)).toHaveLength(14);
    for (const scheme of LEVEL_SCHEME_NAMES) {
      const ordinals = [...new Set(normsOf(scheme).map((norm) => norm.ordinal))];
      expect(ordinals).toEqual([...Object.values(LEVEL_SCHEMES[scheme])].toSorted((a, b) => b - a));
      expect(new Set(normsOf(scheme).map(renderNorm)).size).toBe(ordinals.length * 6);
    }
  });

  it('is read back from its text, of every scheme', () => {
    for (const scheme of LEVEL_SCHEME_NAMES)
      for (const norm of normsOf(scheme))
        expect(parseNorm(scheme, renderNorm(norm))).toEqual({ ok: true, value: norm });
    expect(parseNorm('Paper', 'Legal/Ought/Possible')).toMatchObject({ ok: true, value: { ordinal: 5000, rank: 2 } });
  });

  verifies('calculus:unknown-word-refused', 'is refused with what is allowed and what was probably meant', () => {
    const faults = (text: string): readonly string[] => {
      const parsed = parseNorm('Springdrift', text);
      return parsed.ok ? [] : parsed.error;
    };
    expect(faults('legal/MUST')).toEqual([
      expect.stringMatching(
        /^level: found "legal"; allowed: EthicalMoral, Legal, .*Operational \(did you mean Legal\?\)$/,
      ),
      'operator: found "MUST"; allowed: Required, Ought, Indifferent',
    ]);
    expect(faults('Prudential/Ought')).toEqual([
      expect.stringMatching(/; Prudential belongs to Paper and TallMountain$/),
    ]);
    expect(faults('Legal')).toEqual(['operator: found nothing; allowed: Required, Ought, Indifferent']);
    expect(faults('Legal/Ought/Perhaps/x')).toEqual([
      'modality: found "Perhaps"; allowed: Possible, Impossible',
      'found more than LEVEL/OPERATOR/MODALITY: "x"',
    ]);
    for (const text of ['', '/', 'constructor/Ought', 'Legal/Ought/', ' Legal/Ought'])
      expect(faults(text)).not.toEqual([]);
  });
});
