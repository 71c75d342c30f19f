import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { repositoryRoot } from '../../../../../test/support/repository-files.ts';
import { bySize } from '../../../../../test/support/test-size.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { sourcesOf, type Sources } from './claim-sources.ts';
import { accountOf, UNSUPPORTED_MAX } from './fabrication.ts';
import { readingsOf } from './number-reading.ts';

/** Made for this test: what tools returned, what was asked, and what was made of it. */
const Case = z.strictObject({
  name: z.string(),
  outputs: z.array(z.string()),
  places: z.array(z.string()).default([]),
  given: z.array(z.string()).default([]),
  result: z.string(),
  /** In the order of the text; none in an honest result. */
  unsupported: z.array(z.string()).default([]),
});

const path = join(repositoryRoot, 'test/golden/fabrication.json');
const gold = z.array(Case).parse(JSON.parse(readFileSync(path, 'utf8')));
const fabricated = gold.filter((it) => it.unsupported.length > 0);
const honest = gold.filter((it) => it.unsupported.length === 0);

const sources = (...outputs: string[]): Sources => ({ outputs, places: [], given: [] });
const textsOf = (result: string, from: Sources): readonly string[] =>
  accountOf(result, from).unsupported.map((it) => it.text);

describe('an unsupported claim', () => {
  verifies(
    'verdict:fabrications-are-found',
    'every fabricated result of the gold set is rejected, no honest one is',
    () => {
      expect(fabricated.length).toBeGreaterThanOrEqual(30);
      expect(honest.length).toBeGreaterThanOrEqual(30);
      const rejected = gold.filter((it) => textsOf(it.result, it).length > 0);
      expect(fabricated.filter((it) => !rejected.includes(it)).map((it) => it.name)).toEqual([]);
      expect(honest.filter((it) => rejected.includes(it)).map((it) => it.name)).toEqual([]);
    },
  );

  it.each(gold)('names what nothing shows: $name', (one) => {
    expect(textsOf(one.result, one)).toEqual(one.unsupported);
  });

  it('says where each stands', () => {
    const result = 'The sum is 42, the count ٧٧.';
    for (const { text, start } of accountOf(result, sources('')).unsupported) {
      expect(result.slice(start, start + text.length)).toBe(text);
    }
    expect(textsOf(result, sources(''))).toEqual(['42', '٧٧']);
  });

  it('believes any number that a tool gave, however a language writes it', () => {
    const dayLike = fc
      .tuple(fc.integer({ min: 1900, max: 2099 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 31 }))
      .map(([year, month, day]) => year * 10_000 + month * 100 + day);
    const anyNumber = fc.tuple(
      fc.oneof({ weight: 4, arbitrary: fc.nat(99_999_999) }, { weight: 1, arbitrary: dayLike }),
      fc.nat(99),
    );
    const locale = fc.constantFrom('en-US', 'de-DE', 'fr-FR', 'de-CH', 'en-IN', 'ar-EG', 'fa-IR', 'hi-IN-u-nu-deva');
    fc.assert(
      fc.property(anyNumber, locale, ([whole, cents], language) => {
        const value = whole + cents / 100;
        const shown = new Intl.NumberFormat(language, { minimumFractionDigits: 2 }).format(value);
        expect(textsOf(`= ${shown} EUR`, sources(`total,${value.toFixed(2)}`))).toEqual([]);
        expect(textsOf(`= ${value.toFixed(2)} EUR`, sources(`total: ${shown}`))).toEqual([]);
      }),
      { examples: [[[19_340_101, 0], 'en-US']] },
    );
  });

  it.each([
    { told: '= 19340101.00 EUR', output: 'total: 19,340,101.00', missing: [] },
    { told: '= 19,340,101.00 EUR', output: 'total,19340101.00', missing: [] },
    { told: 'The id is 20240131.', output: 'id 20,240,131', missing: [] },
    { told: 'On 20240131 it rained.', output: '2024-01-31,rain', missing: [] },
    { told: 'On 20240131 it rained.', output: '2024-01-30,rain', missing: ['20240131'] },
    { told: 'On 2024-01-31 it rained.', output: '20240131,17,rain', missing: [] },
    { told: 'On 2024-01-31 it rained.', output: '17,20240131,4', missing: [] },
    { told: 'On 2024-01-31 it rained.', output: '20240130,17,rain', missing: ['2024-01-31'] },
    { told: 'The sum is 42.', output: 'x 20240131,17 y\nand 20240201,25 z', missing: [] },
    { told: 'Sums:\n20240131,42', output: 'x 20240131,17 y\nand 20240131,25 z', missing: [] },
    { told: 'Sums:\n20240131,43', output: 'x 20240131,17 y\nand 20240131,25 z', missing: ['43'] },
    { told: 'From 20240131 to 20240202 2 days passed.', output: '20240131,17\n20240202,25', missing: [] },
    { told: '= 19340101,00 EUR', output: 'total: 19,340,101.00', missing: [] },
  ])('takes eight digits for a day or for a number: $told', ({ told, output, missing }) => {
    expect(textsOf(told, sources(output))).toEqual(missing);
  });

  it('finds any number that no tool gave', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 999_999 }), fc.integer({ min: 1, max: 98 }), (number, off) => {
        const told = String(number * 100 + off);
        expect(textsOf(`The sum is ${told}.`, sources(`sum: ${number * 100 + off + 1}`))).toEqual([told]);
      }),
    );
  });

  it('is total, and names at most so many', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (result, output) => {
        expect(accountOf(result, sources(output)).unsupported.length).toBeLessThanOrEqual(UNSUPPORTED_MAX);
        expect(accountOf(output, sources(output)).unsupported).toEqual([]);
      }),
    );
  });

  it('believes what a tool said word for word', () => {
    const unit = fc.constantFrom(
      ...'0123456789.,:;-/%`"\'eEkMvaZ_ \n٤年‘’'.split(''),
      'https://',
      'million',
      '.csv',
      'May ',
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
        expect(textsOf(text, sources(text))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('reads megabytes', () => {
    const rows = Array.from(
      { length: bySize({ quick: 2000, check: 10_000 }) },
      (_, at) => `row-${at},${at * 7919},${'x'.repeat(100)}`,
    ).join('\n');
    expect(textsOf(`${rows}\nsum 123456789123`, sources(rows))).toEqual(['123456789123']);
    const words = 'a/b.c-d_e'.repeat(50_000);
    expect(accountOf(words, sources('')).unsupported.length).toBeLessThanOrEqual(UNSUPPORTED_MAX);
    expect(accountOf('1,'.repeat(100_000), sources('')).unsupported.length).toBeLessThanOrEqual(UNSUPPORTED_MAX);
  });
});

describe('sourcesOf', () => {
  it('takes outputs of what ran, and places of what succeeded', () => {
    const calls = [
      { status: 'Ok', output: '17', target: 'a.csv', files: [{ path: 'b.csv' }] },
      { status: 'Error', output: 'exit 3', target: 'c.csv', files: [] },
      { status: 'Unrun', output: 'refused 99', target: 'd.csv', files: [] },
    ];
    const from = sourcesOf(calls, ['Write 5 lines']);
    expect(textsOf('5 lines of `a.csv` and b.csv: 17, exit 3; c.csv 99 d.csv', from)).toEqual(['c.csv', '99', 'd.csv']);
  });
});

describe('readingsOf', () => {
  it.each<readonly [string, readonly string[]]>([
    ['1,234', ['1234', '1.234']],
    ['1.234', ['1234', '1.234']],
    ['1,234.50', ['1234.5']],
    ['1.234,50', ['1234.5']],
    ['1 234,5', ['1234.5']],
    ["1'234.5", ['1234.5']],
    ['12,34,567', ['1234567']],
    ['1,234,567', ['1234567']],
    ['0.123', ['0.123']],
    ['0042', ['42']],
    ['3.00', ['3']],
    ['1.5e3', ['1500']],
    ['1.2.3', []],
    ['10.0.0.1', []],
    ['1.234,567,8', []],
  ])('%s is %j', (text, values) => {
    expect(readingsOf(text).map((it) => it.value)).toEqual(values);
  });
});
