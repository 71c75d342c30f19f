import { describe, expect } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import type { Observation } from './observation.ts';
import { verdictPatterns } from './verdict-patterns.ts';

function observation(changed: Partial<Observation>): Observation {
  return { runId: 'r', atMs: 0, decisions: [], judged: [], tokens: 0, toolCalls: 0, caused: [], ...changed };
}

const scored = (gate: 'Tool' | 'Output', ...scores: readonly number[]): Observation =>
  observation({ decisions: scores.map((score) => ({ gate, verdict: 'Accept', score })) });

const judged = (verdict: 'Flourishing' | 'Prohibited', count: number): Observation =>
  observation({ judged: Array.from({ length: count }, () => ({ verdict, axioms: ['6.4'] })) });

const table: readonly (readonly [string, readonly Observation[], readonly string[]])[] = [
  ['no verdicts', [], []],
  [
    'five scores of a gate whose mean is 0.25',
    [scored('Tool', 0.2, 0.2, 0.2), scored('Tool', 0.3, 0.35)],
    ['Stall Tool 2/5'],
  ],
  ['a mean below 0.25', [scored('Tool', 0.2, 0.2, 0.2, 0.3, 0.34)], []],
  ['four scores', [scored('Tool', 1, 1, 1, 1)], []],
  ['scores of two gates', [scored('Tool', 1, 1, 1), scored('Output', 1, 1)], []],
  ['old scores that were high', [scored('Tool', 1, 1, 1, 1, 1), scored('Tool', 0, 0, 0, 0, 0)], []],
  ['verdicts without a score', [observation({ decisions: Array(9).fill({ gate: 'Tool', verdict: 'Reject' }) })], []],
  [
    'one of five judged prohibited',
    [judged('Flourishing', 4), judged('Prohibited', 1)],
    ['Drift HighProhibitionRate 1/5'],
  ],
  ['four judgements', [judged('Prohibited', 4)], []],
];

describe('patterns of verdicts', () => {
  for (const [what, observations, expected] of table)
    verifies('sensorium:patterns', `tell of ${what}: ${expected.join(', ') || 'nothing'}`, () => {
      const found = verdictPatterns(observations).map(
        ({ name, about, count, of }) => `${name} ${about} ${count}/${of}`,
      );
      expect(found).toEqual(expected);
    });
});
