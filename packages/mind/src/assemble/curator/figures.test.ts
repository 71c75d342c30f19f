import { describe, expect } from 'vitest';
import { figures } from '../../../../../test/support/selves.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { costTrend, novelty, recentFailures, successRate } from './figures.ts';

const ended = (...outcomes: readonly string[]) => outcomes.map((outcome) => figures({ outcome }));
const spent = (...tokens: readonly number[]) => tokens.map((it) => figures({ tokens: it }));

describe('the figures of the sensorium', () => {
  const rates: readonly (readonly [string, readonly string[], { readonly rate: number; readonly n: number }])[] = [
    ['no run', [], { rate: 0, n: 0 }],
    ['three of four', ['Accepted', 'Succeeded', 'Abandoned', 'Accepted'], { rate: 0.75, n: 4 }],
    ['a cancelled run, which says nothing', ['Accepted', 'Cancelled'], { rate: 1, n: 1 }],
    ['refused and failed runs', ['Refused', 'Failed'], { rate: 0, n: 2 }],
    [
      'the last fifty',
      [...Array<string>(60).fill('Failed'), ...Array<string>(25).fill('Accepted')],
      { rate: 0.5, n: 50 },
    ],
  ];
  for (const [what, outcomes, expected] of rates)
    verifies('sensorium:figures', `success rate of ${what}`, () => {
      expect(successRate(ended(...outcomes))).toEqual(expected);
    });

  const trends: readonly (readonly [readonly number[], string | undefined])[] = [
    [[1, 100, 100], undefined],
    [[100, 100, 130, 130], 'stable'],
    [[100, 100, 131, 131], 'increasing'],
    [[100, 100, 70, 70], 'stable'],
    [[100, 100, 69, 69], 'decreasing'],
    [[100, 100, 200, 200, 200], 'increasing'],
  ];
  for (const [tokens, expected] of trends)
    verifies('sensorium:figures', `cost trend of ${tokens.join(', ')}: ${expected}`, () => {
      expect(costTrend(spent(...tokens))).toBe(expected);
    });

  const subjects: readonly (readonly [string, readonly string[], readonly (readonly string[])[], number])[] = [
    ['nothing before', ['rain'], [], 1],
    ['no word', [], [['rain']], 1],
    ['the same words', ['rain', 'wind'], [['wind', 'rain']], 0],
    ['one word of three', ['rain', 'wind'], [['rain', 'snow']], 0.66],
    ['the most alike of several', ['rain', 'wind'], [['snow'], ['rain']], 0.5],
    ['a run that is too long ago', ['rain'], [['rain'], ...Array<string[]>(5).fill(['snow'])], 1],
  ];
  for (const [what, words, before, expected] of subjects)
    verifies('sensorium:figures', `novelty with ${what}: ${expected}`, () => {
      expect(
        novelty(
          words,
          before.map((keywords) => figures({ keywords })),
        ),
      ).toBe(expected);
    });

  verifies('sensorium:figures', 'the three newest failures are told by outcome', () => {
    const runs = ['Failed', 'Accepted', 'Refused', 'Cancelled', 'Abandoned', 'Failed'].map((outcome, index) =>
      figures({ outcome, task: `t${index}`, endedAtMs: index }),
    );
    expect(recentFailures(runs)).toEqual([
      { task: 't2', outcome: 'Refused', endedAtMs: 2 },
      { task: 't4', outcome: 'Abandoned', endedAtMs: 4 },
      { task: 't5', outcome: 'Failed', endedAtMs: 5 },
    ]);
  });
});
