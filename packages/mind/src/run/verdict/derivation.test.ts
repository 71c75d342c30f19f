import { describe, expect, it } from 'vitest';
import { Seeded } from '../../../../../test/support/seeded.ts';
import { bySize } from '../../../../../test/support/test-size.ts';
import { verifies } from '../../../../../test/verifies.ts';
import type { Sources } from './claim-sources.ts';
import { accountOf } from './fabrication.ts';

const sources = (...outputs: string[]): Sources => ({ outputs, places: [], given: [] });

describe('a figure that code makes from others', () => {
  verifies('verdict:figures-are-derived', 'is told with the operation and the calls that it rests on', () => {
    const on = (reply: string, ...outputs: string[]) => accountOf(reply, sources(...outputs)).derivations;
    expect(on('It is 12.4 each.', 'total 37.2', 'parts: 3')).toEqual(['12.4 = 37.2 / 3 (t1, t2)']);
    expect(on('38 of 40 passed (95%).', 'passed 38\ntotal 40')).toEqual(['95% = 38 / 40 × 100 (reply, reply)']);
    expect(on('The total is 525.', 'name,amount\na,120\nb,95\nc,310')).toEqual(['525 = sum of 3 amount (t1)']);
    expect(on('It has 1.23 MB.', '1234567 bytes')).toEqual(['1.23 = 1234567 / 1000000 (t1)']);
  });

  it.each([
    ['a quotient of told ones', '372 for 30 heads make 12.4 per head.', 'heads 30\ntotal 372'],
    ['a sum of three', 'The sum of 20, 22 and 31 is 73.', 'a 20 b 22 c 31'],
    ['two operations', 'From 37 × 140 pieces 5120 are left after 60 broke.', 'boxes 37 of 140 pieces, broken 60'],
    ['the values of a key', 'All in all 42.5 hours.', '[{"who":"a","hours":12.5},{"who":"b","hours":30}]'],
    ['rows that the sentence names', 'Berlin comes to 300.', 'city,amount\nBerlin,100\nParis,70\nBerlin,200'],
    ['an increase', 'Growth was 25%.', 'before 80\nafter 100'],
    ['hours of minutes', 'The film lasts 2.5 hours.', 'length: 150 min'],
    ['different cells', 'There are 2 different cities.', 'city,amount\nBerlin,100\nParis,70\nBerlin,200'],
  ])('may be %s', (_, reply, output) => {
    expect(accountOf(reply, sources(output)).unsupported).toEqual([]);
  });

  it.each([
    ['a mean where a sum is told', 'The sum is 175.', 'name,amount\na,120\nb,95\nc,310'],
    ['a sum where a mean is told', 'The average is 525.', 'name,amount\na,120\nb,95\nc,310'],
    ['a percentage that is none of theirs', '38 of 40 passed (85%).', 'passed 38\ntotal 40'],
    ['what another row comes to', 'Berlin comes to 390.', 'city,amount\nBerlin,100\nParis,70\nBerlin,200'],
  ])('is not %s', (_, reply, output) => {
    expect(accountOf(reply, sources(output)).unsupported).not.toEqual([]);
  });
});

describe('forty random figures', () => {
  const TRIALS = bySize({ quick: 50, check: 150 });
  const LIMIT = 0.02;
  const kinds: readonly (readonly [name: string, random: (seeded: Seeded) => string])[] = [
    ['whole numbers of four digits', (seeded) => String(1000 + seeded.below(9000))],
    ['whole numbers of three to seven digits', (seeded) => String(Math.floor(10 ** (2 + seeded.below(5000) / 1000)))],
    ['amounts with cents', (seeded) => `${10 + seeded.below(990)}.${10 + seeded.below(89)}`],
    ['amounts with a cent or two', (seeded) => `${100 + seeded.below(9900)}.${1 + seeded.below(9)}`],
  ];
  const replies: readonly (readonly [name: string, reply: (figure: string) => string])[] = [
    ['alone', (figure) => `It is ${figure}.`],
    ['as a sum', (figure) => `The sum is ${figure}.`],
    ['as a difference', (figure) => `That is ${figure} more.`],
    ['as a size', (figure) => `It has ${figure} kB.`],
  ];

  verifies('verdict:figures-are-derived', 'show an invented one at most once in fifty', () => {
    const shares = kinds.flatMap(([kind, random], at) =>
      replies.map(([manner, reply], order) => {
        const seeded = new Seeded(1000 * at + order);
        const shown = Array.from({ length: TRIALS }, () => {
          const figures = Array.from({ length: 40 }, () => random(seeded));
          const invented = random(seeded);
          if (figures.includes(invented)) return 0;
          return Number(accountOf(reply(invented), sources(figures.join('\n'))).unsupported.length === 0);
        });
        return { kind, manner, share: shown.reduce<number>((sum, it) => sum + it, 0) / TRIALS };
      }),
    );
    expect(shares.filter((it) => it.share > LIMIT)).toEqual([]);
  });
});
