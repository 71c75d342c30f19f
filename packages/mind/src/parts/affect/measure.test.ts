import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { affectLine } from './affect-line.ts';
import { AFFECT_BASELINE, measureAffect, type Affect, type AffectSignals } from './measure.ts';

const clean: AffectSignals = {
  toolCalls: 0,
  toolFailures: 0,
  retries: 0,
  gateRejections: 0,
  gateModifications: 0,
  outputRejectionsInRow: 0,
  failuresInRow: 0,
  delegations: 0,
  delegationFailures: 0,
  successRate: 0.5,
  recallRate: 0.5,
  budgetPressure: 0,
};

type Row = readonly [changed: Partial<AffectSignals>, expected: number];

/** Expected values were computed by hand from the formulas. */
const byDimension: Readonly<Record<'desperation' | 'calm' | 'confidence' | 'frustration', readonly Row[]>> = {
  desperation: [
    [{}, 0],
    [{ retries: 1 }, 20],
    [{ retries: 2 }, 40],
    [{ retries: 3 }, 60],
    [{ retries: 9 }, 60],
    [{ gateRejections: 1 }, 15],
    [{ gateRejections: 2 }, 30],
    [{ gateRejections: 5 }, 30],
    [{ failuresInRow: 1 }, 10],
    [{ failuresInRow: 5 }, 50],
    [{ failuresInRow: 50 }, 50],
    [{ toolCalls: 4, toolFailures: 1 }, 10],
    [{ outputRejectionsInRow: 1 }, 30],
    [{ outputRejectionsInRow: 2 }, 55],
    [{ outputRejectionsInRow: 3 }, 80],
    [{ outputRejectionsInRow: 7 }, 80],
    [{ retries: 1, gateRejections: 1, failuresInRow: 2, toolCalls: 2, toolFailures: 1 }, 75],
    [{ outputRejectionsInRow: 3, failuresInRow: 3 }, 100],
  ],
  /** From 75. */
  calm: [
    [{}, 76.5],
    [{ toolCalls: 2, toolFailures: 1 }, 74.25],
    [{ delegations: 2, delegationFailures: 2 }, 72],
    [{ gateRejections: 1 }, 73.5],
    [{ outputRejectionsInRow: 2 }, 70.5],
    [{ toolCalls: 9, toolFailures: 9 }, 65.25],
  ],
  confidence: [
    [{}, 50],
    [{ toolCalls: 4 }, 60],
    [{ toolCalls: 4, toolFailures: 1 }, 55],
    [{ toolCalls: 4, toolFailures: 4 }, 40],
    [{ successRate: 1 }, 70],
    [{ recallRate: 0 }, 30],
    [{ successRate: 1, recallRate: 1, toolCalls: 1 }, 100],
  ],
  frustration: [
    [{}, 0],
    [{ toolCalls: 4, toolFailures: 1 }, 12.5],
    [{ gateModifications: 2 }, 30],
    [{ delegations: 3, delegationFailures: 1 }, 10],
    [{ budgetPressure: 0.4 }, 8],
    [{ gateModifications: 9 }, 100],
  ],
};

describe.each(Object.entries(byDimension))('%s', (dimension, rows) => {
  for (const [changed, expected] of rows)
    verifies('affect:formulas', `is ${expected} by ${JSON.stringify(changed)}`, () => {
      expect(measureAffect({ ...clean, ...changed })).toHaveProperty(dimension, expect.closeTo(expected, 9));
    });
});

describe('pressure', () => {
  verifies('affect:formulas', 'weighs the four dimensions', () => {
    // 0.45 × 80 + 0.25 × 15 + 0.15 × (100 − 50) + 0.15 × (100 − (0.15 × 25 + 0.85 × 75))
    const { pressure } = measureAffect({ ...clean, outputRejectionsInRow: 3, gateModifications: 1 });
    expect(pressure).toBeCloseTo(52.125, 9);
  });

  const trends: readonly (readonly [string, Affect | undefined, Partial<AffectSignals>, Affect['trend']])[] = [
    ['the first clean cycle', undefined, {}, 'Stable'],
    ['a first cycle whose text was rejected', undefined, { outputRejectionsInRow: 1 }, 'Rising'],
    ['another cycle like the one before', measureAffect(clean), {}, 'Stable'],
    ['a clean cycle after three rejected texts', measureAffect({ ...clean, outputRejectionsInRow: 3 }), {}, 'Falling'],
  ];
  for (const [what, before, changed, expected] of trends)
    verifies('affect:formulas', `at ${what}: ${expected}`, () => {
      expect(measureAffect({ ...clean, ...changed }, before).trend).toBe(expected);
    });
});

verifies('affect:formulas', 'calm comes back slowly: each clean cycle is 15 % of the way', () => {
  const shaken = { ...AFFECT_BASELINE, calm: 25 };
  expect(measureAffect(clean, shaken).calm).toBeCloseTo(34, 9);
  expect(measureAffect(clean, measureAffect(clean, shaken)).calm).toBeCloseTo(41.65, 9);
});

it('keeps every dimension within 0 and 100, whatever it is computed from', () => {
  const count = fc.nat({ max: 1000 });
  const rate = fc.double({ min: 0, max: 1, noNaN: true });
  const counts = { retries: count, gateRejections: count, gateModifications: count, outputRejectionsInRow: count };
  const rates = { successRate: rate, recallRate: rate, budgetPressure: rate };
  const signals = fc
    .record({ ...counts, ...rates, failuresInRow: count, toolCalls: count, delegations: count, failed: rate })
    .map(({ failed, ...it }) => ({
      ...it,
      toolFailures: Math.floor(it.toolCalls * failed),
      delegationFailures: Math.floor(it.delegations * failed),
    }));
  fc.assert(
    fc.property(fc.array(signals, { minLength: 1, maxLength: 20 }), (history) => {
      let affect: Affect | undefined;
      for (const it of history) affect = measureAffect(it, affect);
      const { trend, ...felt } = affect ?? AFFECT_BASELINE;
      expect(['Rising', 'Falling', 'Stable']).toContain(trend);
      for (const value of Object.values(felt)) expect(value >= 0 && value <= 100).toBe(true);
    }),
  );
});

verifies('affect:line', 'has the form of the paper', () => {
  const felt = { desperation: 34.4, calm: 60.6, confidence: 58, frustration: 22, pressure: 31 } as const;
  const line = (trend: Affect['trend']): string => affectLine({ ...felt, trend });
  expect(line('Stable')).toBe('desperation 34% · calm 61% · confidence 58% · frustration 22% · pressure 31% ↔');
  expect(line('Rising')).toMatch(/ 31% ↑$/);
  expect(line('Falling')).toMatch(/ 31% ↓$/);
});
