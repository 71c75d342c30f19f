import { describe, expect, it } from 'vitest';
import { CycleUnderTest, cycleSpec } from '../../../../test/support/cycles.ts';
import { verifies } from '../../../../test/verifies.ts';
import type { CycleLimits, CycleSpec } from './event.ts';

function limited(limits: Partial<CycleLimits>, system = 'You are a test.'): CycleUnderTest {
  return new CycleUnderTest({ limits: { ...cycleSpec().limits, ...limits }, system: [{ text: system, cache: true }] });
}

function asked(cycle: CycleUnderTest): readonly number[] {
  return cycle.events.flatMap((event) => (event.kind === 'ModelRequested' ? [event.request.maxOutputTokens] : []));
}

describe('the tokens of a cycle', () => {
  verifies('cycle:tokens-bounded-before-the-call', 'an answer may be no longer than what is left', () => {
    const cycle = limited({ tokens: 1000, outputTokens: 500 });
    cycle.answer({ calls: [['look', 1]], tokens: 700 });
    cycle.finish('r-c1-t1', 'x'.repeat(400));
    const [first, second = 0] = asked(cycle);
    expect(first).toBe(500);
    expect(second).toBeGreaterThan(0);
    expect(second).toBeLessThan(200);
  });

  verifies('cycle:tokens-bounded-before-the-call', 'a prompt that does not fit is not sent', () => {
    const cycle = limited({ tokens: 1000 });
    cycle.answer({ text: 'so far', calls: [['look', 1]], tokens: 500 });
    cycle.finish('r-c1-t1', 'x'.repeat(4000));
    expect(cycle.events.findLast((it) => it.kind === 'LimitReached')).toMatchObject({
      kind: 'LimitReached',
      limit: 'tokens',
      max: 1000,
    });
    expect(cycle.now.ended).toMatchObject({ outcome: 'OutOfBudget', text: 'so far' });
  });

  it('show nobody an unfinished structured answer, and ask no gate about it', () => {
    const cycle = new CycleUnderTest({ structured: 'Plan', limits: { ...cycleSpec().limits, tokens: 1000 } });
    cycle.answer({ text: '<plan>FORBIDDEN', calls: [['look', 1]], tokens: 500 });
    cycle.finish('r-c1-t1', 'x'.repeat(4000));
    expect(cycle.now.ended).toMatchObject({ outcome: 'OutOfBudget', text: '' });
    expect(cycle.now.rejections).toEqual([]);
  });

  it('bound what the admission of a cut-off answer names', () => {
    const cycle = limited({ tokens: 400 });
    cycle.answer({ text: 'half', stop: 'MaxTokens', tokens: 100 });
    cycle.answer({ text: 'half', stop: 'MaxTokens', tokens: 100 });
    expect(asked(cycle).at(-1)).toBeLessThan(300);
    expect(cycle.now.ended?.text).toContain(`stopped at 0 of ${asked(cycle).at(-1)} output tokens`);
  });

  it('count system text and tools of the prompt, too', () => {
    expect(asked(limited({ tokens: 1000 }, 'x'.repeat(4000)))).toEqual([]);
    expect(asked(limited({ tokens: 2000 }, 'x'.repeat(4000)))).toHaveLength(1);
  });
});

describe('the money of a cycle', () => {
  const price = { promptUsd: 0.0001, answerUsd: 0.01 };
  const priced = (costUsd: number, change: Partial<CycleSpec> = {}): CycleUnderTest =>
    new CycleUnderTest({ limits: { ...cycleSpec().limits, costUsd }, price, ...change });

  verifies('cycle:money-bounded-before-the-call', 'an answer may be no longer than what is left pays for', () => {
    const cycle = priced(2);
    cycle.answer({ calls: [['look', 1]], costUsd: 1 });
    cycle.finish('r-c1-t1', 'x'.repeat(400));
    const [first = 0, second = 0] = asked(cycle);
    expect(first).toBeGreaterThan(150);
    expect(first).toBeLessThan(200);
    expect(second).toBeGreaterThan(50);
    expect(second).toBeLessThan(100);
  });

  verifies('cycle:money-bounded-before-the-call', 'a prompt that cannot be paid for is not sent', () => {
    const cycle = priced(1);
    cycle.answer({ text: 'so far', calls: [['look', 1]], costUsd: 0.99 });
    cycle.finish('r-c1-t1', 'x'.repeat(4000));
    expect(asked(cycle)).toHaveLength(1);
    expect(cycle.events.findLast((it) => it.kind === 'LimitReached')).toMatchObject({ limit: 'costUsd', max: 1 });
    expect(cycle.now.ended).toMatchObject({
      outcome: 'OutOfBudget',
      text: 'so far',
      reason: expect.stringContaining('the next model call would use up the money of this cycle'),
    });
  });

  it('bounds nothing where nobody knows the price, or it costs nothing', () => {
    const { outputTokens } = cycleSpec().limits;
    expect(asked(limited({ costUsd: 0.001 }))).toEqual([outputTokens]);
    expect(asked(priced(0.001, { price: { promptUsd: 0, answerUsd: 0 } }))).toEqual([outputTokens]);
  });
});

describe('other limits', () => {
  it('spends nothing when the cost may be zero only', () => {
    const cycle = limited({ costUsd: 0 });
    expect(asked(cycle)).toEqual([]);
    expect(cycle.now.ended?.outcome).toBe('OutOfBudget');
  });

  it.each([1, 2, 5])('ends after %i turns in a row in which a tool call failed', (failedTurnsInRow) => {
    const cycle = limited({ failedTurnsInRow });
    for (let turn = 1; cycle.now.ended === undefined; turn += 1) {
      cycle.answer({ calls: [['look', turn]] });
      cycle.finish(`r-c1-t${turn}`, 'broken', 'Error');
    }
    expect(cycle.now.turns).toBe(failedTurnsInRow);
    expect(cycle.events.findLast((it) => it.kind === 'LimitReached')).toMatchObject({
      kind: 'LimitReached',
      limit: 'failedTurnsInRow',
    });
  });
});
