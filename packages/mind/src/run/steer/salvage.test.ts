import { describe, expect, it } from 'vitest';
import { met, outcome, unmet } from '../../../../../test/support/steer-rounds.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { deliverable, keepMatched, SALVAGE_CHARACTERS_MAX, SALVAGE_MAX } from './salvage.ts';

const done = (position: number, intent: string, output = intent): ReturnType<typeof outcome> =>
  outcome(position, [met(1)], { intent, output, subtaskId: `s${position}` });

describe('what is kept of a failing round', () => {
  it('is what matched, in the order of the plan, with its artifact', () => {
    const kept = keepMatched([], [{ ...done(1, 'b'), artifactId: 'a7' }, outcome(2, [unmet(1)]), done(0, 'a')], 3);
    expect(kept).toEqual([
      { subtaskId: 's0', round: 3, intent: 'a', output: 'a' },
      { subtaskId: 's1', round: 3, intent: 'b', output: 'b', artifactId: 'a7' },
    ]);
  });

  it('is replaced by the same subtask done again', () => {
    const kept = keepMatched(keepMatched([], [done(0, 'a', 'old'), done(1, 'b')], 1), [done(0, 'a', 'new')], 2);
    expect(kept.map((it) => [it.round, it.intent, it.output])).toEqual([
      [1, 'b', 'b'],
      [2, 'a', 'new'],
    ]);
  });

  it('is bounded in number and length', () => {
    const many = Array.from({ length: 100 }, (_, index) => done(index, `i${index}`, 'x'.repeat(1e5)));
    const kept = keepMatched([], many, 1);
    expect(kept).toHaveLength(SALVAGE_MAX);
    expect(kept.at(-1)?.intent).toBe('i99');
    expect(Math.max(...kept.map((it) => it.output.length))).toBeLessThan(SALVAGE_CHARACTERS_MAX + 100);
  });
});

describe('what is delivered', () => {
  const kept = keepMatched(keepMatched([], [done(0, 'first')], 1), [done(0, 'second')], 2);
  const failed = [outcome(0, [unmet(1)])];

  verifies('steer:partial-delivery', 'Spec: this round, or the last in which something matched', () => {
    expect(deliverable('Spec', [done(0, 'now'), ...failed], { salvage: kept })).toBe('now');
    expect(deliverable('Spec', failed, { salvage: kept })).toBe('second');
    expect(deliverable('Spec', failed, { salvage: [] })).toBe('');
  });

  verifies('steer:salvage', 'Hardened: all rounds, what was done again once', () => {
    expect(deliverable('Hardened', [done(0, 'now')], { salvage: kept })).toBe(
      '## first\n  first\n\n## second\n  second\n\n## now\n  now',
    );
    expect(deliverable('Hardened', [done(0, 'first', 'better')], { salvage: kept })).toBe(
      '## second\n  second\n\n## first\n  better',
    );
  });
});
