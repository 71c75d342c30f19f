import { AgentControl } from '@retainer/contract/api/agent-control';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { gradient, lossOf, resourceCost } from './loss.ts';
import type { ResourceUse } from './loss.ts';

const spec = AgentControl.parse({});
const hardened = AgentControl.parse({ profile: 'Hardened' });
const use = (rounds: number, elapsedMs: number, change: Partial<ResourceUse> = {}): ResourceUse => ({
  rounds,
  elapsedMs,
  nowMs: 1_000_000,
  ...change,
});
const ratio = fc.double({ min: 0, max: 1, noNaN: true });

describe('resource cost', () => {
  it.each([
    [0, 0, 0],
    [0, 30_000, 0.04],
    [1, 0, 0.2],
    [1, 1000, 0.2 + 0.4 / 300],
    [2, 10_000, 0.4 + 4 / 300],
    [3, 150_000, 0.8],
    [4, 0, 0.8],
    // At the published moments it reaches its threshold by time alone; a part above 1 is not capped for itself.
    [0, 600_000, 0.8],
    [1, 450_000, 0.8],
    [2, 300_000, 0.8],
    [1, 600_000, 1],
    [9, 9_000_000, 1],
  ])('after %i failing rounds and %i ms is %f', (rounds, elapsedMs, omega) => {
    expect(resourceCost(spec, use(rounds, elapsedMs))).toBeCloseTo(omega, 12);
  });

  it.each([
    ['a clock that ran backwards', spec, use(1, -5_000_000), 0.2],
    ['no number', spec, use(1, NaN), 0.2],
    ['more than any number', spec, use(1, Number.MAX_VALUE), 1],
    ['no replan allowed, none used', AgentControl.parse({ maxReplans: 0 }), use(0, 0), 0],
    ['no replan allowed, one used', AgentControl.parse({ maxReplans: 0 }), use(1, 0), 1],
    ['a part without weight', AgentControl.parse({ maxReplans: 0, weights: { w1: 0, w2: 1 } }), use(3, 150_000), 0.5],
  ])('is defined for %s', (_, control, used, omega) => {
    expect(resourceCost(control, used)).toBeCloseTo(omega, 12);
  });

  verifies('steer:deadline-shortens-budget', 'the time from the first plan to the deadline, if that is less', () => {
    const started = 1_000_000 - 50_000;
    const before = (ms: number): number => resourceCost(spec, use(1, 50_000, { deadlineMs: started + ms }));
    expect(before(100_000)).toBeCloseTo(0.2 + 0.4 * 0.5, 12);
    expect(before(50_000)).toBeCloseTo(0.2 + 0.4, 12);
    expect(before(900_000)).toBeCloseTo(0.2 + 0.4 / 6, 12);
    expect(before(-1)).toBe(1);
  });

  verifies('steer:deadline-shortens-budget', 'tokens weigh as much as time, in Hardened only', () => {
    const tokens = { used: 500, budget: 1000 };
    expect(resourceCost(spec, use(1, 150_000, { tokens }))).toBeCloseTo(0.4, 12);
    expect(resourceCost(hardened, use(1, 150_000))).toBeCloseTo(0.4, 12);
    expect(resourceCost(hardened, use(1, 150_000, { tokens }))).toBeCloseTo((0.2 + 0.2 + 0.2) / 1.4, 12);
    expect(resourceCost(hardened, use(3, 300_000, { tokens: { used: 1000, budget: 1000 } }))).toBeCloseTo(1, 12);
    expect(resourceCost(hardened, use(1, 0, { tokens: { used: 5, budget: 0 } }))).toBe(1);
    expect(resourceCost(hardened, use(0, 0, { tokens: { used: 0, budget: 0 } }))).toBe(0);
  });
});

describe('loss', () => {
  it.each([
    [0, 0, 0, 0, 0],
    [1, 0, 0, 0.6, 0.6],
    [0, 1, 0, 0.3, 0.3],
    [0, 0, 1, 0.4, 0],
    [1, 1, 1, 1, 0.9],
    [1, 1, 0.2, 0.92, 0.9],
    [0.5, 0.5, 0.4, 0.55, 0.45],
    [0.25, 0, 0.5, 0.35, 0.15],
    [0, 0.5, 0.04, 0.16, 0.15],
  ])('of D %f, P %f, Ω %f is L %f and Q %f', (...[d, p, omega, l, q]) => {
    const loss = lossOf(spec.weights, { d, p, omega });
    expect(loss).toMatchObject({ d, p, omega });
    expect(loss.l).toBeCloseTo(l, 12);
    expect(loss.q).toBeCloseTo(q, 12);
  });

  verifies('steer:loss-monotonic', 'in each term, for any weights with λ ≥ β', () => {
    const weights = fc
      .tuple(ratio, ratio, ratio)
      .map(([a, b, c]) => ({ alpha: a, lambda: (1 - a) * b, beta: (1 - a) * b * c, w1: 0.6, w2: 0.4 }));
    const terms = fc.record({ d: ratio, p: ratio, omega: ratio });
    fc.assert(
      fc.property(fc.oneof(fc.constant(spec.weights), weights), terms, terms, (own, one, other) => {
        for (const term of ['d', 'p', 'omega'] as const) {
          const low = { ...one, [term]: Math.min(one[term], other[term]) };
          const high = { ...one, [term]: Math.max(one[term], other[term]) };
          expect(lossOf(own, high).l).toBeGreaterThanOrEqual(lossOf(own, low).l - 1e-12);
          expect(lossOf(own, high).q).toBeGreaterThanOrEqual(lossOf(own, low).q - 1e-12);
        }
        const { l, q } = lossOf(own, one);
        expect(Math.min(l, q)).toBeGreaterThanOrEqual(0);
        expect(Math.max(l, q)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('has no gradient before there is a round to compare with', () => {
    expect(gradient(0.7, undefined)).toBe(0);
    expect(gradient(0.7, 0)).toBe(0.7);
    expect(gradient(0.2, 0.5)).toBeCloseTo(-0.3, 12);
  });
});
