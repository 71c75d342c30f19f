import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { readMomentText } from './moment-text.ts';

const read = (text: string, timeZone = 'UTC'): string => {
  const moment = readMomentText(text, timeZone);
  return moment.ok ? new Date(moment.value).toISOString() : moment.error;
};

describe('readMomentText', () => {
  const cases = [
    ['an offset', '2026-12-01T08:00:05+05:30', 'UTC', '2026-12-01T02:30:05.000Z'],
    ['the offset before the zone', '2026-12-01T08:00Z', 'Europe/Berlin', '2026-12-01T08:00:00.000Z'],
    ['a local time in winter', '2026-12-01T08:00', 'Europe/Berlin', '2026-12-01T07:00:00.000Z'],
    ['a local time in summer', '2026-07-01T08:00', 'Europe/Berlin', '2026-07-01T06:00:00.000Z'],
    ['a time that the clock jumps over', '2027-03-28T02:30', 'Europe/Berlin', '2027-03-28T01:00:00.000Z'],
    ['the first of a time that comes twice', '2027-10-31T02:30', 'Europe/Berlin', '2027-10-31T00:30:00.000Z'],
    ['half hours of summer time', '2027-01-01T00:00', 'Australia/Lord_Howe', '2026-12-31T13:00:00.000Z'],
    ['a zone far ahead', '2027-01-01T00:00', 'Pacific/Kiritimati', '2026-12-31T10:00:00.000Z'],
    ['a leap day', '2028-02-29 23:59', 'UTC', '2028-02-29T23:59:00.000Z'],
  ] as const;
  for (const [name, text, timeZone, expected] of cases)
    verifies('jobs:moment-text', `reads ${name}`, () => expect(read(text, timeZone)).toBe(expected));

  it.each([
    ['tomorrow', 'no date'],
    ['2026-12-01', 'no date'],
    ['2026-02-29T08:00', 'day'],
    ['2026-13-01T08:00', 'day'],
    ['2026-04-31T08:00', 'day'],
    ['2026-12-01T24:00', 'time'],
    ['2026-12-01T08:60', 'time'],
    ['2026-12-01T08:00+24:00', 'offset'],
    // Samoa left this day out, as it crossed the date line.
  ])('says what is wrong with %s', (text, why) => expect(read(text)).toContain(why));

  it('knows that Samoa left a day out', () => {
    expect(read('2011-12-30T12:00', 'Pacific/Apia')).toMatch(/no time of that day|2011-12-3/);
  });

  verifies('jobs:moment-text', 'reads what the calendar of the platform writes', () => {
    const instants = fc.integer({ min: Date.UTC(1970, 0, 1), max: Date.UTC(2399, 11, 31) });
    fc.assert(
      fc.property(instants, (atMs) => {
        const text = new Date(Math.floor(atMs / 1000) * 1000).toISOString();
        expect(read(text)).toBe(text);
        expect(read(text.slice(0, 16))).toBe(`${text.slice(0, 16)}:00.000Z`);
      }),
      { numRuns: 200 },
    );
  });
});
