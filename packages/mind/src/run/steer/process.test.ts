import type { SubTaskOutcome } from '@retainer/contract/wire/bus/payloads';
import { describe, expect, it } from 'vitest';
import { attempts, criterion, met, outcome, unmet, unverified } from '../../../../../test/support/steer-rounds.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { processImplausibility, shownFailureClass } from './process.ts';

const failing = (...verdicts: SubTaskOutcome['verdicts']): SubTaskOutcome => outcome(0, verdicts);
const because = (failureReason: string, change: Partial<SubTaskOutcome> = {}): SubTaskOutcome =>
  outcome(0, [], { status: 'Failed', failureReason, ...change });

describe('implausibility', () => {
  verifies('steer:implausibility-by-class-then-words', 'is the logical share of the classed failures', () => {
    expect(processImplausibility([failing(unmet(1, 'Logical'))])).toBe(1);
    expect(processImplausibility([failing(unmet(1, 'Environmental'))])).toBe(0);
    expect(
      processImplausibility([
        failing(unmet(1, 'Logical'), unmet(2, 'Environmental'), met(3), unmet(4)),
        failing(unmet(1, 'Logical')),
      ]),
    ).toBeCloseTo(2 / 3, 12);
    expect(
      processImplausibility([
        because('x', { failureClass: 'Environmental' }),
        because('x', { failureClass: 'Logical' }),
      ]),
    ).toBe(0.5);
  });

  it('takes the class of an outcome that failed before its criteria were judged', () => {
    expect(processImplausibility([because('x', { failureClass: 'Logical' })])).toBe(1);
    expect(processImplausibility([because('x', { failureClass: 'Environmental' })])).toBe(0);
  });

  verifies('steer:implausibility-by-class-then-words', 'asks the words only where no failure is classed', () => {
    const classed = failing(unmet(1, 'Environmental'));
    expect(processImplausibility([because('an invalid, incorrect approach'), classed])).toBe(0);
    expect(processImplausibility([because('an invalid, incorrect approach'), failing(unmet(1))])).toBe(1);
  });

  it('ignores failures inside matched outcomes', () => {
    expect(processImplausibility([outcome(0, [met(1), unmet(2, 'Logical')], { status: 'Matched' })])).toBe(0.5);
    expect(processImplausibility([because('invalid', { status: 'Matched' })])).toBe(0.5);
  });

  it.each<readonly [string, readonly SubTaskOutcome[], number]>([
    ['no outcome', [], 0.5],
    ['nothing failed', [outcome(0, [met(1)])], 0.5],
    ['no reason', [failing(unmet(1))], 0.5],
    ['a logical word', [because('Wrong Approach taken')], 1],
    ['an environmental word', [because('connection reset')], 0],
    ['both in one reason: it abstains', [because('invalid answer after a timeout')], 0.5],
    ['two against one', [because('cannot do it'), because('not possible'), because('rate limit reached')], 2 / 3],
    [
      'an abstention counts for nothing',
      [because('cannot do it'), because('invalid, then timeout'), because('odd')],
      1,
    ],
  ])('by words: %s', (_, outcomes, p) => {
    expect(processImplausibility(outcomes)).toBeCloseTo(p, 12);
  });

  it('reads the criteria that the attempts left unmet, too', () => {
    const criteria = [criterion('the file is there'), criterion('no such file is reported')];
    const seen = outcome(0, [met(1), unmet(2)], { criteria, trajectory: attempts([2], []) });
    expect(processImplausibility([seen])).toBe(0);
    expect(processImplausibility([{ ...seen, trajectory: attempts([1], [7]) }])).toBe(0.5);
  });

  verifies('steer:permission-is-not-logical', 'neither of the two words', () => {
    expect(processImplausibility([because('permission denied'), because('operation not permitted')])).toBe(0.5);
    expect(processImplausibility([because('permission denied'), because('timeout')])).toBe(0);
  });

  verifies('steer:policy-ends-the-round', 'a refusal is never counted, by class or by words', () => {
    expect(processImplausibility([failing(unmet(1, 'Policy'))])).toBe(0.5);
    expect(processImplausibility([failing(unmet(1, 'Policy'), unmet(2, 'Environmental'))])).toBe(0);
    expect(processImplausibility([because('cannot: invalid', { failureClass: 'Policy' })])).toBe(0.5);
  });

  verifies(
    'steer:infrastructure-excluded',
    'a failure of the machinery, or a missing judgement, is never counted',
    () => {
      expect(processImplausibility([failing(unmet(1, 'Infrastructure'), unmet(2, 'Logical'))])).toBe(1);
      expect(processImplausibility([because('invalid answer', { failureClass: 'Infrastructure' })])).toBe(0.5);
      const lost = failing(unmet(1, 'Infrastructure'));
      expect(processImplausibility([{ ...lost, failureReason: 'invalid answer' }])).toBe(0.5);
      expect(processImplausibility([because('invalid answer', { failureClass: 'Unverified' })])).toBe(0.5);
      expect(processImplausibility([{ ...failing(unverified(1)), failureReason: 'invalid verdict' }])).toBe(0.5);
      expect(processImplausibility([failing({ ...unverified(1), failureClass: 'Logical' })])).toBe(0.5);
    },
  );

  verifies('steer:not-started-counts-in-distance', 'what was not started says nothing', () => {
    expect(processImplausibility([because('invalid', { started: false, failureClass: 'Environmental' })])).toBe(0.5);
    expect(processImplausibility([because('invalid', { started: false })])).toBe(0.5);
  });
});

it.each([
  [0, 'Environmental'],
  [0.49, 'Environmental'],
  [0.5, 'Mixed'],
  [0.51, 'Logical'],
  [1, 'Logical'],
] as const)('implausibility %s is shown as %s', (p, shown) => {
  expect(shownFailureClass(p)).toBe(shown);
});
