import { describe, expect, it } from 'vitest';
import { RunWorld } from '../../../../test/support/run-world.ts';
import { scenarios } from '../../../../test/support/run-scenarios.ts';
import { verifies } from '../../../../test/verifies.ts';
import { renderRounds, roundsOf, type StoryRound } from './rounds.ts';

const rounds = (name: string): readonly StoryRound[] => {
  const scenario = scenarios.find((it) => it.name === name);
  if (scenario === undefined) throw new Error(`no scenario ${name}`);
  return roundsOf(new RunWorld(scenario).play().events);
};
const lines = (name: string): readonly string[] => renderRounds(rounds(name)).map(({ text }) => text.trim());

describe('the rounds of a run', () => {
  it('are one where the first plan does it, with its corrections', () => {
    expect(rounds('plain')).toMatchObject([{ round: 1, directive: 'Accept', subtasks: 1, matched: 1, corrections: 0 }]);
    expect(rounds('corrected')).toMatchObject([{ round: 1, directive: 'Accept', corrections: 1 }]);
    expect(lines('corrected')).toContain('1 of 1 subtask done, 1 correction');
  });

  verifies('cli:explain-rounds', 'name directive, cell, what was blocked, and what the next plan did otherwise', () => {
    const [first, second] = rounds('replanned');
    expect(first).toMatchObject({ round: 1, occasion: 'Round', subtasks: 3, matched: 1, changed: [] });
    expect(first?.cell).toBeGreaterThanOrEqual(1);
    expect(first?.blocked.targets).toEqual(['b.csv']);
    expect(second).toMatchObject({ round: 2, directive: 'Accept', changed: ['new: Read C', 'no more: Read B'] });
    expect(lines('replanned')).toEqual(expect.arrayContaining(['blocked in the next round: b.csv', 'new: Read C']));
  });

  verifies('cli:explain-rounds', 'have a row with every figure for each round', () => {
    const told = rounds('abandoned');
    expect(told.length).toBeGreaterThan(1);
    expect(told.at(-1)?.directive).toBe('Abandon');
    const rows = lines('abandoned').filter((line) => /^\d+ /.test(line) && line.includes('.'));
    expect(rows).toHaveLength(told.length);
    for (const [index, { round, loss, directive }] of told.entries()) {
      expect(rows[index]).toMatch(new RegExp(`^${round}  ${loss.d.toFixed(2)}  ${loss.p.toFixed(2)}  `));
      expect(rows[index]).toContain(directive);
    }
  });

  it('are none for a run that was not steered', () => {
    expect(renderRounds(roundsOf([]))).toEqual([]);
  });
});
