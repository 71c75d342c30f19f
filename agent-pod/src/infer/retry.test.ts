import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import type { ModelFailureKind } from '@retainer/mind/request/model-request';
import { RETRY_DELAY_MS_MAX, retryAfterMs, retryDelayMs } from './retry.ts';

const kinds: readonly ModelFailureKind[] = [
  'RateLimited',
  'Overloaded',
  'Network',
  'Timeout',
  'Authentication',
  'InvalidRequest',
  'MalformedAnswer',
  'Cancelled',
];

describe('retryDelayMs', () => {
  it.each<[ModelFailureKind, readonly (number | undefined)[]]>([
    ['RateLimited', [5000, 10_000, 20_000, undefined]],
    ['Overloaded', [2000, 4000, 8000, undefined]],
    ['Network', [500, 1000, 2000, undefined]],
    ['Timeout', [500, 1000, 2000, undefined]],
    ['MalformedAnswer', [500, undefined]],
    ['Authentication', [undefined]],
    ['InvalidRequest', [undefined]],
    ['Cancelled', [undefined]],
  ])('after %s waits %j', (kind, delays) => {
    expect(delays.map((_, index) => retryDelayMs({ kind }, index + 1, 0))).toEqual(delays);
  });

  it.each<[ModelFailureKind, number, number]>([
    ['Network', 0, 0],
    ['Network', 1, 1],
    ['Overloaded', 6, 6],
    ['MalformedAnswer', 0, 0],
    ['MalformedAnswer', 6, 1],
    ['InvalidRequest', 6, 0],
  ])('after %s with at most %d retries tries %d times more', (kind, retriesMax, retries) => {
    const delays = Array.from({ length: 12 }, (_, index) => retryDelayMs({ kind }, index + 1, 0, retriesMax));
    expect(delays.filter((delayMs) => delayMs !== undefined)).toHaveLength(retries);
  });

  verifies('infer:retry-policy', 'ends after a bounded number of tries and never waits longer than the cap', () => {
    const failure = fc.record({
      kind: fc.constantFrom(...kinds),
      retryAfterMs: fc.integer({ min: -1000, max: 10_000_000 }),
    });
    fc.assert(
      fc.property(
        failure,
        fc.integer({ min: 1, max: 50 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (error, tries, random) => {
          const delayMs = retryDelayMs(error, tries, random);
          if (tries > 3) expect(delayMs).toBeUndefined();
          if (delayMs === undefined) return;
          expect(delayMs).toBeGreaterThanOrEqual(0);
          expect(delayMs).toBeLessThanOrEqual(RETRY_DELAY_MS_MAX);
        },
      ),
    );
  });

  it('spreads agents that failed together', () => {
    expect(retryDelayMs({ kind: 'Overloaded' }, 1, 1)).toBe(1500);
  });
});

describe('retryAfterMs', () => {
  const nowMs = Date.UTC(2030, 0, 1, 12, 0, 0);

  it.each<[string, Readonly<Record<string, string>>, number | undefined]>([
    ['seconds', { 'retry-after': '17' }, 17_000],
    ['a fraction of a second', { 'retry-after': '0.5' }, 500],
    ['milliseconds before seconds', { 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    ['a date', { 'retry-after': 'Tue, 01 Jan 2030 12:00:30 GMT' }, 30_000],
    ['a date in the past', { 'retry-after': 'Tue, 01 Jan 2030 11:00:00 GMT' }, 0],
    ['nothing', {}, undefined],
    ['nonsense', { 'retry-after': 'soon' }, undefined],
  ])('reads %s', (_name, headers, expected) => {
    expect(retryAfterMs((name) => headers[name], nowMs)).toBe(expected);
  });
});
