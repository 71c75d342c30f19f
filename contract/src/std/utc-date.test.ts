import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utcDate, utcMinute, utcSecond } from './utc-date.ts';

describe('utcDate', () => {
  it.each([
    [0, '1970-01-01'],
    [-1, '1969-12-31'],
    [Date.UTC(2000, 1, 29), '2000-02-29'],
    [Date.UTC(2100, 2, 1) - 1, '2100-02-28'],
    [Date.UTC(2026, 10, 22, 23, 59), '2026-11-22'],
  ])('%d is %s', (ms, date) => {
    expect(utcDate(ms)).toBe(date);
  });

  it('is what the platform says, at every moment of ten thousand years', () => {
    const moment = fc.integer({ min: Date.parse('0000-01-01T00:00Z'), max: Date.parse('9999-12-31T23:59Z') });
    fc.assert(
      fc.property(moment, (ms) => {
        const iso = new Date(ms).toISOString();
        expect(utcDate(ms)).toBe(iso.slice(0, 10));
        expect(utcMinute(ms)).toBe(`${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`);
        expect(utcSecond(ms)).toBe(`${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`);
      }),
      { numRuns: 2000 },
    );
  });
});
