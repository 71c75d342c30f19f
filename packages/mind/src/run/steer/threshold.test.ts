import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { isAbove, isBelow } from './threshold.ts';

/** Source: artoo A.9. */
const tolerance = 1e-9;

const ratio = fc.double({ min: 0, max: 1, noNaN: true });

describe('a threshold', () => {
  verifies('steer:threshold-tolerance', 'is met by whatever differs from it by less than the tolerance', () => {
    fc.assert(
      fc.property(ratio, fc.double({ min: -0.99, max: 0.99, noNaN: true }), (threshold, part) => {
        const value = threshold + part * tolerance;
        expect([isAbove(value, threshold), isBelow(value, threshold)]).toEqual([false, false]);
      }),
    );
  });

  verifies('steer:threshold-tolerance', 'tells apart whatever differs by more', () => {
    fc.assert(
      fc.property(ratio, fc.double({ min: 1.01, max: 1e9, noNaN: true }), (threshold, times) => {
        const difference = times * tolerance;
        expect([isAbove(threshold + difference, threshold), isBelow(threshold + difference, threshold)]).toEqual([
          true,
          false,
        ]);
        expect([isAbove(threshold - difference, threshold), isBelow(threshold - difference, threshold)]).toEqual([
          false,
          true,
        ]);
      }),
    );
  });

  it('takes 0.6 · 4/3 for 0.8', () => {
    expect(0.6 * (4 / 3)).toBeLessThan(0.8);
    expect(isBelow(0.6 * (4 / 3), 0.8)).toBe(false);
  });

  it('is neither above nor below what is no number', () => {
    expect([isAbove(NaN, 0), isBelow(NaN, 0), isAbove(Infinity, 0), isBelow(-Infinity, 0)]).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });
});
