import type { Salvage, SubTaskOutcome } from '@retainer/contract/wire/bus/payloads';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { fairShares, MERGED_CHARACTERS_MAX, mergeOutputs } from './merge.ts';

type Mergeable = Pick<SubTaskOutcome, 'status' | 'sequence' | 'position' | 'intent' | 'output' | 'artifactId'>;

function outcome(sequence: number, position: number, change: Partial<Mergeable> = {}): Mergeable {
  const name = `${sequence}.${position}`;
  return { status: 'Matched', sequence, position, intent: `intent ${name}`, output: `output ${name}`, ...change };
}

const kept: Salvage = { subtaskId: 'r-r1-s1', round: 1, intent: 'kept', output: 'of round 1' };

describe('mergeOutputs', () => {
  it.each<readonly [string, readonly Mergeable[], readonly Salvage[], string]>([
    ['nothing', [], [], ''],
    ['only failures', [outcome(1, 0, { status: 'Failed' })], [], ''],
    ['one, as it is', [outcome(1, 0, { output: ' a\nb ' })], [], ' a\nb '],
    ['one that matched among failures', [outcome(1, 0, { status: 'Failed' }), outcome(1, 1)], [], 'output 1.1'],
    ['salvage alone', [], [kept], 'of round 1'],
    [
      'several, by sequence, then position',
      [outcome(2, 2), outcome(1, 1), outcome(1, 0)],
      [],
      '## intent 1.0\n  output 1.0\n\n## intent 1.1\n  output 1.1\n\n## intent 2.2\n  output 2.2',
    ],
    ['salvage before this round', [outcome(1, 0)], [kept], '## kept\n  of round 1\n\n## intent 1.0\n  output 1.0'],
    [
      'where the whole is',
      [outcome(1, 0, { artifactId: 'a1' }), outcome(1, 1)],
      [],
      '## intent 1.0 (whole: artifact:a1)\n  output 1.0\n\n## intent 1.1\n  output 1.1',
    ],
  ])('of %s', (_, outcomes, salvage, merged) => {
    expect(mergeOutputs(outcomes, salvage)).toBe(merged);
  });

  verifies('dispatch:merged-in-plan-order', 'the order of arrival changes nothing', () => {
    const outcomes = Array.from({ length: 6 }, (_, position) =>
      outcome(1 + (position % 3), position, { status: position === 4 ? 'Failed' : 'Matched' }),
    );
    const expected = mergeOutputs(outcomes);
    fc.assert(
      fc.property(fc.shuffledSubarray(outcomes, { minLength: 6 }), (arrived) => {
        expect(mergeOutputs(arrived)).toBe(expected);
      }),
    );
  });

  it('lets no output pose as the heading of another', () => {
    const merged = mergeOutputs([outcome(1, 0, { output: 'a\n## intent 1.1\u2028## x' }), outcome(1, 1)]);
    expect(merged.split(/[\n\u2028]/).filter((line) => line.startsWith('## '))).toEqual([
      '## intent 1.0',
      '## intent 1.1',
    ]);
  });

  it('stays bounded, and cuts the long ones only', () => {
    const huge = Array.from({ length: 5 }, (_, position) => outcome(1, position, { output: 'x'.repeat(1_000_000) }));
    const merged = mergeOutputs([outcome(1, 9, { output: 'short' }), ...huge]);
    expect(merged.length).toBeLessThan(MERGED_CHARACTERS_MAX + 2000);
    expect(merged).toContain('  short');
    expect(merged).toContain('characters left out');
  });
});

describe('fairShares', () => {
  it('gives no more than is there or needed, and cuts nobody while a longer one is whole', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { maxLength: 30 }), fc.nat(5000), (lengths, total) => {
        const shares = fairShares(lengths, total);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(total);
        const cutAt = Math.min(...shares.filter((share, index) => share < (lengths[index] ?? 0)));
        shares.forEach((share, index) => expect(share).toBeLessThanOrEqual(lengths[index] ?? 0));
        shares.forEach((share) => expect(share).toBeLessThanOrEqual(Math.max(cutAt, 0) + lengths.length));
      }),
    );
  });
});
