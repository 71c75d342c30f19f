import type { BusCriterion, CriteriaVerdict, SubTaskOutcome } from '@retainer/contract/wire/bus/payloads';
import { describe, expect, it } from 'vitest';
import { attempts, criterion, met, outcome, unmet, unverified } from '../../../../../test/support/steer-rounds.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { distance, successBar } from './distance.ts';

const plausible = (text: string): BusCriterion => criterion(text, { mode: 'Plausible' });

function distanceOf(
  outcomes: readonly SubTaskOutcome[],
  criteria: readonly BusCriterion[] = [],
  taskVerdicts: readonly CriteriaVerdict[] = [],
): number {
  return distance(criteria, { outcomes, taskVerdicts, elapsedMs: 0 });
}

const bare = (status: 'Matched' | 'Failed', change: Partial<SubTaskOutcome> = {}): SubTaskOutcome =>
  outcome(0, [], { status, ...change });

describe('distance of the subtasks', () => {
  verifies('steer:no-outcomes-is-full-distance', 'is 1', () => expect(distanceOf([])).toBe(1));

  it.each<readonly [string, readonly SubTaskOutcome[], number]>([
    ['all met', [outcome(0, [met(1), met(2)])], 0],
    ['one of four criteria', [outcome(0, [met(1), met(2), met(3)]), outcome(1, [unmet(1)])], 1 / 4],
    ['an unmet one inside a matched outcome', [outcome(0, [met(1), unmet(2)], { status: 'Matched' })], 1 / 2],
    [
      'three of five over two outcomes',
      [outcome(0, [unmet(1), unmet(2)]), outcome(1, [met(1), unmet(2), met(3)])],
      3 / 5,
    ],
    ['failed although all criteria are met', [outcome(0, [met(1), met(2)], { status: 'Failed' })], 1],
  ])('counts failed criteria: %s', (_, outcomes, d) => {
    expect(distanceOf(outcomes)).toBeCloseTo(d, 12);
  });

  verifies('steer:outcome-without-verdicts', 'one criterion each, by the status', () => {
    expect(distanceOf([bare('Matched'), bare('Failed')])).toBe(1 / 2);
    expect(distanceOf([bare('Failed', { criteria: [criterion('a'), criterion('b')] }), outcome(1, [met(1)])])).toBe(
      1 / 2,
    );
    expect(distanceOf([outcome(0, [met(1), met(2), met(3)], { criteria: [] }), bare('Failed')])).toBe(1 / 2);
  });

  it('counts a criterion without a verdict, or with two, as failed, and ignores verdicts on nothing', () => {
    const criteria = [criterion('a'), criterion('b'), criterion('c'), criterion('d')];
    expect(distanceOf([outcome(0, [met(1), met(2), met(2), met(9)], { criteria })])).toBe(3 / 4);
  });

  verifies('steer:plausible-weight', 'k of N attempts over the number of criteria', () => {
    const criteria = [plausible('a'), criterion('b')];
    const failed = (trajectory: SubTaskOutcome['trajectory']): SubTaskOutcome =>
      outcome(0, [unmet(1), met(2)], { criteria, trajectory });
    expect(distanceOf([failed(attempts([1], [2], [1]))])).toBeCloseTo(2 / 3 / 2, 12);
    expect(distanceOf([failed(attempts([1], [1]))])).toBe(1 / 2);
    expect(distanceOf([failed([])])).toBe(1 / 2);
    // The last attempt failed it, whatever the trajectory says, and no attempt fails it twice.
    expect(distanceOf([failed(attempts([], [], [], []))])).toBe(1 / 4 / 2);
    expect(distanceOf([failed(attempts([1, 1, 1], []))])).toBe(1 / 2 / 2);
  });

  verifies('steer:plausible-weight', 'a verifiable one weighs 1 however often it failed', () => {
    expect(distanceOf([outcome(0, [unmet(1), met(2)], { trajectory: attempts([1], [], []) })])).toBe(1 / 2);
  });

  verifies('steer:not-started-counts-in-distance', 'as one failed criterion', () => {
    const waiting = outcome(1, [], { started: false, status: 'Failed', criteria: [criterion('a'), criterion('b')] });
    expect(distanceOf([outcome(0, [met(1)]), waiting])).toBe(1 / 2);
    expect(distanceOf([outcome(0, [met(1)]), { ...waiting, verdicts: [met(1), unmet(2)] }])).toBe(1 / 2);
    expect(distanceOf([outcome(0, [met(1)]), { ...waiting, failureClass: 'Infrastructure' }])).toBe(1 / 2);
    expect(distanceOf([outcome(0, [met(1)]), { ...waiting, status: 'Matched' }])).toBe(1 / 2);
  });

  verifies('steer:infrastructure-excluded', 'left out above and below the line; unverified counts', () => {
    expect(distanceOf([outcome(0, [met(1), unmet(2), unmet(3, 'Infrastructure')])])).toBe(1 / 2);
    expect(distanceOf([outcome(0, [met(1)]), bare('Failed', { failureClass: 'Infrastructure' })])).toBe(0);
    expect(distanceOf([outcome(0, [met(1), unverified(2)])])).toBe(1 / 2);
    expect(distanceOf([outcome(0, [met(1), { ...unverified(2), failureClass: 'Infrastructure' }])])).toBe(1 / 2);
    expect(distanceOf([outcome(0, [unmet(1, 'Infrastructure')])])).toBe(1);
    expect(distanceOf([bare('Failed', { failureClass: 'Infrastructure' })])).toBe(1);
  });
});

describe('distance of the whole', () => {
  const criteria = [criterion('a'), criterion('b'), criterion('c'), criterion('d')];
  const matched = [outcome(0, [met(1)])];

  verifies('steer:task-criteria-in-distance', 'the greater of the two', () => {
    expect(distanceOf(matched, criteria, [met(1), unmet(2), met(3), met(4)])).toBe(1 / 4);
    expect(distanceOf(matched, criteria, [unmet(1), unmet(2), unmet(3), met(4)])).toBe(3 / 4);
    expect(distanceOf([outcome(0, [met(1), unmet(2)])], criteria, [met(1), unmet(2), met(3), met(4)])).toBe(1 / 2);
    expect(distanceOf([outcome(0, [met(1), unmet(2)])], criteria, [unmet(1), unmet(2), unmet(3), met(4)])).toBe(3 / 4);
  });

  verifies('steer:task-criteria-in-distance', 'counts as failed where all matched and nobody judged it', () => {
    expect(distanceOf(matched, criteria)).toBe(1);
    expect(distanceOf(matched, criteria, [met(1), met(2)])).toBe(1 / 2);
    expect(
      distanceOf(
        matched,
        criteria,
        criteria.map((_, index) => unverified(index + 1)),
      ),
    ).toBe(1);
  });

  it('is not asked where a subtask failed and nobody judged the whole', () => {
    expect(distanceOf([outcome(0, [met(1), met(2), met(3), unmet(4)])], criteria)).toBe(1 / 4);
  });

  it('weighs a failed plausible criterion 1: the whole is judged once a round', () => {
    expect(distanceOf(matched, [plausible('a'), criterion('b')], [unmet(1), met(2)])).toBe(1 / 2);
  });

  it('leaves out what the machinery could not judge', () => {
    expect(distanceOf(matched, criteria, [met(1), unmet(2), unmet(3, 'Infrastructure'), met(4)])).toBeCloseTo(
      1 / 3,
      12,
    );
  });
});

describe('what forbids a success', () => {
  const matched = [outcome(0, [met(1)])];
  const lost = bare('Failed', { failureClass: 'Infrastructure' });

  it.each<readonly [string, readonly SubTaskOutcome[], BusCriterion, readonly CriteriaVerdict[], string | undefined]>([
    ['a verifiable criterion of the whole', matched, criterion('a'), [unmet(1)], 'TaskCriterion'],
    ['one that nobody could judge', matched, criterion('a'), [unverified(1)], 'TaskCriterion'],
    ['one without a verdict', matched, criterion('a'), [], 'TaskCriterion'],
    ['no plausible one', matched, plausible('a'), [unmet(1)], undefined],
    ['no optional one', matched, criterion('a', { required: false }), [unmet(1)], undefined],
    ['nothing where all is met', matched, criterion('a'), [met(1)], undefined],
    [
      'nothing where a subtask failed before the whole was judged',
      [outcome(0, [unmet(1)])],
      criterion('a'),
      [],
      undefined,
    ],
    ['a subtask that the machinery failed', [...matched, lost], criterion('a'), [], 'Infrastructure'],
    [
      'a criterion that the machinery could not judge',
      [outcome(0, [met(1), unmet(2, 'Infrastructure')])],
      criterion('a'),
      [],
      'Infrastructure',
    ],
  ])('%s', (...[, outcomes, own, taskVerdicts, bar]) => {
    expect(successBar([own], { outcomes, taskVerdicts, elapsedMs: 0 })).toBe(bar);
  });
});
