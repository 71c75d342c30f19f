import type { Megram } from '@retainer/contract/wire/bus/payloads';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { decay, decayOriginMs, potentialsOf, type StoredMegram } from './potentials.ts';

const DAY_MS = 86_400_000;

type Numbers = Pick<Megram, 'f' | 'sigma' | 'k'>;

/** The source's table of what a decision weighs. */
const accept: Numbers = { f: 0.9, sigma: 1, k: 0.05 };
const success: Numbers = { f: 0.8, sigma: 1, k: 0.05 };
const abandon: Numbers = { f: 0.95, sigma: -1, k: 0.05 };
const changePath: Numbers = { f: 0.3, sigma: 0, k: 0.2 };

function megram(numbers: Numbers, change: Partial<StoredMegram> = {}): StoredMegram {
  return {
    id: 'm',
    level: 'M',
    createdAtMs: 0,
    space: 'intent:x',
    entity: 'env:local',
    content: '',
    state: 'Accept',
    isTrusted: true,
    ...numbers,
    ...change,
  };
}

const times = (count: number, numbers: Numbers): readonly StoredMegram[] =>
  Array.from({ length: count }, () => megram(numbers));

describe('decay', () => {
  const rows = [
    { state: 'abandon', f: 0.95, k: 0.05, halfLifeDays: 13.9, collectedDays: 45.0 },
    { state: 'accept', f: 0.9, k: 0.05, halfLifeDays: 13.9, collectedDays: 43.9 },
    { state: 'change approach', f: 0.85, k: 0.05, halfLifeDays: 13.9, collectedDays: 42.8 },
    { state: 'success', f: 0.8, k: 0.05, halfLifeDays: 13.9, collectedDays: 41.6 },
    { state: 'break symmetry', f: 0.75, k: 0.05, halfLifeDays: 13.9, collectedDays: 40.3 },
    { state: 'change path', f: 0.3, k: 0.2, halfLifeDays: 3.5, collectedDays: 5.5 },
    { state: 'refine', f: 0.1, k: 0.5, halfLifeDays: 1.4, collectedDays: 0 },
  ];
  it.each(rows)('$state: halves in $halfLifeDays days, falls to 0.1 in $collectedDays', (row) => {
    expect(Math.log(2) / row.k).toBeCloseTo(row.halfLifeDays, 1);
    expect(decay((Math.log(2) / row.k) * DAY_MS, row.k)).toBeCloseTo(0.5, 12);
    expect(Math.abs(Math.log(row.f / 0.1) / row.k - row.collectedDays)).toBeLessThan(0.06);
  });

  verifies(
    'megrams:decay',
    'never grows with age, stays between 0 and 1, and takes a set-back clock for no age',
    () => {
      const age = fc.integer({ min: -DAY_MS, max: 1000 * DAY_MS });
      fc.assert(
        fc.property(age, age, fc.double({ min: 0, max: 2, noNaN: true }), (a, b, k) => {
          expect(decay(Math.max(a, b), k)).toBeLessThanOrEqual(decay(Math.min(a, b), k));
          expect(decay(a, k)).toBeLessThanOrEqual(1);
          expect(decay(a, k)).toBeGreaterThanOrEqual(0);
          if (a <= 0) expect(decay(a, k)).toBe(1);
        }),
      );
      expect(decay(1000 * DAY_MS, 0)).toBe(1);
    },
  );
});

describe('decayOriginMs', () => {
  verifies('megrams:decay-origin', 'is the latest of making, recall and demotion', () => {
    expect(decayOriginMs(megram(accept, { createdAtMs: 5 }))).toBe(5);
    expect(decayOriginMs(megram(accept, { createdAtMs: 5, lastRecalledAtMs: 9, demotedAtMs: 7 }))).toBe(9);
    expect(decayOriginMs(megram(accept, { createdAtMs: 5, lastRecalledAtMs: 4, demotedAtMs: 7 }))).toBe(7);
    const nowMs = 100 * DAY_MS;
    expect(potentialsOf([megram(accept)], nowMs).action).toBe('Ignore');
    for (const change of [{ createdAtMs: nowMs }, { lastRecalledAtMs: nowMs }, { demotedAtMs: nowMs }]) {
      expect(potentialsOf([megram(accept, change)], nowMs)).toEqual({
        attention: 0.9,
        decision: 0.9,
        action: 'Exploit',
      });
    }
  });
});

describe('potentialsOf', () => {
  const vectors = [
    { name: 'nothing', megrams: [], attention: 0, decision: 0, action: 'Ignore' },
    { name: 'one accept', megrams: times(1, accept), attention: 0.9, decision: 0.9, action: 'Exploit' },
    { name: 'one abandon', megrams: times(1, abandon), attention: 0.95, decision: -0.95, action: 'Avoid' },
    { name: 'one change path', megrams: times(1, changePath), attention: 0.3, decision: 0, action: 'Ignore' },
    { name: 'two change paths', megrams: times(2, changePath), attention: 0.6, decision: 0, action: 'Caution' },
    {
      name: 'three accepts and three abandons',
      megrams: [...times(3, accept), ...times(3, abandon)],
      attention: 5.55,
      decision: -0.15,
      action: 'Caution',
    },
    { name: 'six accepts', megrams: times(6, accept), attention: 5.4, decision: 5.4, action: 'Exploit' },
    { name: 'seven successes', megrams: times(7, success), attention: 5.6, decision: 5.6, action: 'Exploit' },
    {
      name: 'attention of exactly 0.5',
      megrams: times(1, { f: 0.5, sigma: 1, k: 0.05 }),
      attention: 0.5,
      decision: 0.5,
      action: 'Exploit',
    },
    {
      name: 'decision of exactly 0.2 as a difference',
      megrams: [...times(1, { f: 0.9, sigma: 1, k: 0 }), ...times(1, { f: 0.7, sigma: -1, k: 0 })],
      attention: 1.6,
      decision: 0.2,
      action: 'Caution',
    },
    {
      name: 'decision of exactly -0.2 as a sum',
      megrams: times(2, { f: 0.5, sigma: -0.2, k: 0 }),
      attention: 1,
      decision: -0.2,
      action: 'Caution',
    },
    {
      name: 'decision just beyond 0.2',
      megrams: times(1, { f: 1, sigma: 0.2001, k: 0 }),
      attention: 1,
      decision: 0.2001,
      action: 'Exploit',
    },
    {
      name: 'decision just beyond -0.2',
      megrams: times(1, { f: 1, sigma: -0.2001, k: 0 }),
      attention: 1,
      decision: -0.2001,
      action: 'Avoid',
    },
  ];
  it.each(vectors)('$name: $action', ({ megrams, ...expected }) => {
    const found = potentialsOf(megrams, 0);
    expect(found.attention).toBeCloseTo(expected.attention, 9);
    expect(found.decision).toBeCloseTo(expected.decision, 9);
    expect(found.action).toBe(expected.action);
  });

  verifies('megrams:potentials', 'counts one accept for 11.8 days', () => {
    const lastMs = (Math.log(0.9 / 0.5) / 0.05) * DAY_MS;
    expect(lastMs / DAY_MS).toBeCloseTo(11.8, 1);
    expect(potentialsOf([megram(accept)], lastMs).attention).toBeCloseTo(0.5, 12);
    expect(potentialsOf([megram(accept)], lastMs).action).toBe('Exploit');
    expect(potentialsOf([megram(accept)], lastMs + 60_000).action).toBe('Ignore');
  });

  verifies('megrams:potentials', 'holds its thresholds however the numbers were summed', () => {
    const shares = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(shares, (parts) => {
        const whole = parts.reduce((sum, part) => sum + part, 0);
        const split = parts.map((part) => megram({ f: (0.5 * part) / whole, sigma: 0.4, k: 0 }));
        expect(potentialsOf(split, 0).action).toBe('Caution');
      }),
    );
  });

  verifies('megrams:counted-once', 'counts a rule with strength 1, and not what it was made of', () => {
    const sources = times(6, accept).map((it) => ({ ...it, consolidatedInto: 'rule' }));
    const rule = megram({ f: 0.4, sigma: 1, k: 0 }, { level: 'C' });
    expect(potentialsOf([...sources, rule], 1000 * DAY_MS)).toEqual({ attention: 1, decision: 1, action: 'Exploit' });
    expect(potentialsOf([megram({ f: 1, sigma: 1, k: 0 }, { level: 'T' })], 0).action).toBe('Ignore');
  });
});
