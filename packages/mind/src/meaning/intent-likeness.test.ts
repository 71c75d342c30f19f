import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { lexicalEmbedding, likeness } from './intent-likeness.ts';

const { embed, neighbourMin } = lexicalEmbedding;
const cosine = (a: string, b: string): number => likeness(embed(a), embed(b));

/** The same wish in other forms and orders of its words. */
const same: readonly (readonly [string, string])[] = [
  ['Sum the sales of March in sales.csv.', "Add up March's sales from sales.csv."],
  ['Which month was the wettest in Seattle?', 'Find the wettest month of Seattle.'],
  ['Compute the mean wind of each month and write it as CSV.', 'Write a CSV with the monthly mean of the wind.'],
  [
    'Compare the July temperatures of Seattle and Portland.',
    'How do Seattle and Portland compare in July temperature?',
  ],
  [
    'Delete the rows with negative temperatures from the weather file.',
    'Remove rows of negative temperature in the weather file.',
  ],
  ['Summarise the last ten e-mails of Ann.', "Give me a summary of Ann's last ten e-mails."],
  ['计算三月份的销售总额', '三月份的销售总额是多少'],
  ['今天的农历日期是什么', '请告诉我今天的农历日期'],
  ['Berechne den mittleren Wind jedes Monats.', 'Den mittleren Wind für jeden Monat berechnen.'],
  ['Посчитай продажи за март', 'Сколько было продаж за март, посчитай'],
  ['Convert all images in photos/ to grayscale.', 'Make the images of photos/ grayscale.'],
  ['List every host that answers on port 443.', 'Which hosts answer on port 443?'],
];

/** The same wish in other words, which no comparison of words can find. */
const otherWords: readonly (readonly [string, string])[] = [
  ['Sum the sales of March.', 'What did we earn in spring?'],
  ['Which month was the wettest?', 'When did it rain most?'],
];

describe('two intents', () => {
  const texts = same.flat();

  verifies(
    'megrams:neighbours',
    'of the same words in other forms, in any script, are neighbours, and the nearest',
    () => {
      for (const [a, b] of [...same, ...same.map(([x, y]) => [y, x] as const)]) {
        expect(cosine(a, b), `${a} ${b}`).toBeGreaterThanOrEqual(neighbourMin);
        const [nearest] = texts.filter((it) => it !== a).toSorted((x, y) => cosine(a, y) - cosine(a, x));
        expect(nearest).toBe(b);
      }
    },
  );

  verifies('megrams:neighbours', 'of different wishes are none', () => {
    for (const [index, [a]] of same.entries())
      for (const [other, [, b]] of same.entries())
        if (index !== other) expect(cosine(a, b), `${a} ${b}`).toBeLessThan(neighbourMin);
  });

  it('keeps so many features of a long text, its whole words first', () => {
    const words = Array.from({ length: 90 }, (_, n) => `w${(n + 1000).toString(36)}q${n}`);
    const direction = embed(words.join(' '));
    expect(direction.size).toBe(256);
    for (const word of words) expect(direction.has(word), word).toBe(true);
    expect(Math.hypot(...direction.values())).toBeCloseTo(1, 9);
  });

  it.each(otherWords)('in other words stay strangers: a limit of a lexical likeness (%s)', (a, b) => {
    expect(cosine(a, b)).toBeLessThan(neighbourMin);
  });

  it('are as like as can be where they are the same, whatever they say, and like in both ways', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        if (embed(a).size > 0) expect(cosine(a, a)).toBeCloseTo(1, 9);
        expect(cosine(a, b)).toBeCloseTo(cosine(b, a), 9);
        expect(cosine(a, b)).toBeGreaterThanOrEqual(0);
        expect(cosine(a, b)).toBeLessThanOrEqual(1 + 1e-9);
      }),
    );
  });
});
