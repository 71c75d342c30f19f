import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { readMoments, type Moments } from './moments.ts';

function moments(cron: string, timeZone = 'UTC'): Moments {
  const read = readMoments(cron, timeZone);
  if (!read.ok) throw new Error(read.error);
  return read.value;
}

const iso = (atMs: number): string => new Date(atMs).toISOString().replace(':00.000Z', 'Z');

function following(schedule: Moments, from: string, count: number): readonly string[] {
  const found: string[] = [];
  let atMs: number | undefined = Date.parse(from);
  while (found.length < count) {
    atMs = schedule.after(atMs);
    if (atMs === undefined) break;
    found.push(iso(atMs));
  }
  return found;
}

describe('readMoments', () => {
  const cases = [
    {
      name: 'a fixed time that a day lacks comes when the clock has jumped',
      cron: '30 2 * * *',
      timeZone: 'Europe/Berlin',
      from: '2030-03-30T12:00:00Z',
      expected: ['2030-03-31T01:00Z', '2030-04-01T00:30Z'],
    },
    {
      name: 'a fixed time that a day has twice comes once, at the first',
      cron: '30 2 * * *',
      timeZone: 'Europe/Berlin',
      from: '2030-10-26T12:00:00Z',
      expected: ['2030-10-27T00:30Z', '2030-10-28T01:30Z'],
    },
    {
      name: 'a repeating one comes in both passes of an hour that is there twice',
      cron: '*/30 * * * *',
      timeZone: 'Europe/Berlin',
      from: '2030-10-26T23:59:00Z',
      expected: ['2030-10-27T00:00Z', '2030-10-27T00:30Z', '2030-10-27T01:00Z', '2030-10-27T01:30Z'],
    },
    {
      name: 'a repeating one is skipped in the gap',
      cron: '*/30 2 * * *',
      timeZone: 'Europe/Berlin',
      from: '2030-03-30T12:00:00Z',
      expected: ['2030-04-01T00:00Z', '2030-04-01T00:30Z'],
    },
    {
      name: 'midnight that a day lacks comes an hour later',
      cron: '@daily',
      timeZone: 'America/Sao_Paulo',
      from: '2018-11-03T12:00:00Z',
      expected: ['2018-11-04T03:00Z', '2018-11-05T02:00Z'],
    },
    {
      name: 'half hours of a zone count',
      cron: '0 9 * * 1-5',
      timeZone: 'Asia/Kolkata',
      from: '2030-01-04T12:00:00Z',
      expected: ['2030-01-07T03:30Z', '2030-01-08T03:30Z'],
    },
  ] as const;
  for (const { name, cron, timeZone, from, expected } of cases) {
    verifies('operator-task:daylight-saving', name, () => {
      expect(following(moments(cron, timeZone), from, expected.length)).toEqual(expected);
    });
  }

  it.each([
    ['61 * * * *', 'UTC'],
    ['* * * * 8', 'UTC'],
    ['a b c d e', 'UTC'],
    ['* * * * *', 'Middle/Earth'],
  ])('says what is wrong with %s in %s', (cron, timeZone) => {
    const read = readMoments(cron, timeZone);
    expect(!read.ok && read.error).toMatch(/\w/);
  });

  it('has no moment for a day that never comes', () => {
    expect(moments('0 0 30 2 *').after(0)).toBeUndefined();
    expect(moments('0 0 30 2 *').latest({ afterMs: 0, untilMs: Date.UTC(2030, 0, 1), countMax: 3 })).toEqual([]);
  });

  it('counts the end of a range in and its beginning out', () => {
    const untilMs = Date.UTC(2030, 0, 1, 12);
    const range = { afterMs: untilMs - 2 * 3_600_000, untilMs, countMax: 10 };
    expect(moments('@hourly').latest(range)).toEqual([untilMs - 3_600_000, untilMs]);
    expect(moments('@hourly').latest({ ...range, untilMs: untilMs - 1 })).toEqual([untilMs - 3_600_000]);
    expect(moments('@hourly').latest({ ...range, countMax: 1 })).toEqual([untilMs]);
    expect(moments('@hourly').latest({ ...range, untilMs: range.afterMs })).toEqual([]);
  });

  verifies('operator-task:daylight-saving', 'going back finds the moments that going forward finds', () => {
    const crons = ['*/17 * * * *', '30 2 * * *', '0 1-3 * * *', '15,45 2 * * 0', '@daily'];
    fc.assert(
      fc.property(
        fc.constantFrom(...crons),
        fc.constantFrom('Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Sao_Paulo', 'UTC'),
        fc.integer({ min: Date.UTC(2017, 0, 1), max: Date.UTC(2019, 0, 1) }),
        fc.integer({ min: 0, max: 3 * 86_400_000 }),
        (cron, timeZone, afterMs, spanMs) => {
          const schedule = moments(cron, timeZone);
          const untilMs = afterMs + spanMs;
          const forward: number[] = [];
          for (let atMs = schedule.after(afterMs); atMs !== undefined && atMs <= untilMs; atMs = schedule.after(atMs))
            forward.push(atMs);
          expect(schedule.latest({ afterMs, untilMs, countMax: 300 })).toEqual(forward);
        },
      ),
      { numRuns: 20 },
    );
  });
});
