import { GateFeature } from '@retainer/contract/api/gate-policy';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { discrepancyOf, type Finding } from './discrepancy.ts';

function finding(importance: number, magnitude: number, tiers: Partial<GateFeature> = {}): Finding {
  const feature = GateFeature.parse({ name: 'x', description: 'x', importance, ...tiers });
  return { feature, magnitude, rationale: '' };
}

const findings = (pairs: readonly (readonly [importance: number, magnitude: number])[]): readonly Finding[] =>
  pairs.map(([importance, magnitude]) => finding(importance, magnitude));

describe('the discrepancy', () => {
  verifies('calculus:worksheets', 'has the sums and divisors of the worksheets', () => {
    // Sums and numbers of features are the worksheets'; how a sum comes together does not change the quotient.
    const delivery = findings([
      [5, 2],
      [4, 3],
      [5, 0],
      [5, 0],
      [3, 0],
      [3, 0],
      [2, 0],
      [1, 0],
    ]);
    expect(discrepancyOf(delivery, 'Paper')).toBe(22 / 200);
    const debugMail = findings([
      [5, 5],
      [5, 4],
      [3, 3],
      [5, 2],
      [3, 0],
    ]);
    expect(discrepancyOf(debugMail, 'Paper')).toBe(64 / 125);
    const allAtOne = findings([
      [3, 1],
      [3, 1],
      [2, 1],
      [2, 1],
      [1, 1],
    ]);
    expect(discrepancyOf(allAtOne, 'Weighted')).toBe(11 / 33);
    expect(
      discrepancyOf(
        findings([
          [3, 3],
          [3, 0],
          [2, 0],
          [2, 0],
        ]),
        'Weighted',
      ),
    ).toBe(0.3);
  });

  it('is nothing where nothing is scored', () => {
    expect(discrepancyOf([], 'Paper')).toBe(0);
    expect(discrepancyOf([], 'Weighted')).toBe(0);
  });

  it('multiplies tiers, and is 1 where everything is at its maximum', () => {
    const tier = (importance: number): { name: string; importance: number } => ({ name: 't', importance });
    expect(discrepancyOf([finding(5, 5, { set: tier(5), group: tier(5) }), finding(5, 5)], 'Paper')).toBe(1);
    expect(discrepancyOf([finding(2, 3, { set: tier(3) }), finding(1, 0)], 'Weighted')).toBe(18 / 21);
  });

  it('stays within 0 and 1 and never falls when a magnitude rises', () => {
    const rows = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 4 })), { minLength: 1 });
    fc.assert(
      fc.property(rows, (pairs) => {
        const before = discrepancyOf(findings(pairs), 'Paper');
        const after = discrepancyOf(findings(pairs.map(([weight, size]) => [weight, size + 1])), 'Paper');
        expect(before).toBeGreaterThanOrEqual(0);
        expect(after).toBeGreaterThan(before);
        expect(after).toBeLessThanOrEqual(1);
      }),
    );
  });
});
