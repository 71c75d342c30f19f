import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { costOf, mostPerToken } from './price.ts';

const million = { inputTokens: 1_000_000, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

describe('mostPerToken', () => {
  const tokens = fc.nat({ max: 500_000 });
  const usages = fc.record({
    inputTokens: tokens,
    outputTokens: tokens,
    cacheReadTokens: tokens,
    cacheWriteTokens: tokens,
  });

  verifies('cycle:money-bounded-before-the-call', 'no call costs more, however its tokens were counted', () => {
    const prices = [{ model: 'vendor/own', input: 3, output: 1 }];
    const models = fc.constantFrom('claude-haiku-5-5', 'claude-sonnet-5-5', 'claude-opus-4-1', 'vendor/own');
    fc.assert(
      fc.property(models, usages, (model, usage) => {
        const most = mostPerToken(model, prices) ?? { promptUsd: 0, answerUsd: 0 };
        const prompt = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
        const bound = prompt * most.promptUsd + usage.outputTokens * most.answerUsd;
        expect(costOf(usage, model, prices)).toBeLessThanOrEqual(bound + 1e-9);
      }),
    );
  });

  it('is a price in a million, and none where nobody knows it', () => {
    expect(mostPerToken('claude-sonnet-5-5')).toEqual({ promptUsd: 2.5e-6, answerUsd: 10e-6 });
    expect(mostPerToken('scripted')).toEqual({ promptUsd: 0, answerUsd: 0 });
    expect(mostPerToken('gpt-x')).toBeUndefined();
  });
});

describe('costOf', () => {
  it.each([
    ['claude-opus-5-5', 4],
    ['claude-opus-5', 5],
    ['claude-opus-4-5-20251101', 5],
    ['claude-sonnet-4-5-latest', 3],
    ['claude-haiku-4-5@20251001', 1],
    ['scripted', 0],
  ])('prices a million input tokens of %s at %d dollars', (model, dollars) => {
    expect(costOf(million, model)).toBeCloseTo(dollars, 9);
  });

  it.each(['gpt-x', 'claude-opus-4-9', 'claude-opus-5-5-turbo', 'claude-opus-55', '', 'my-claude-opus-5'])(
    'does not guess the price of %s',
    (model) => {
      expect(costOf(million, model)).toBeUndefined();
    },
  );

  it.each([
    ['the very id', 'claude-haiku-4-5', 7],
    ['a dated id', 'claude-haiku-4-5-20251001', 7],
    ['a model that is not built in', 'vendor/own', 3],
    ['a row of the very id before one of its family', 'vendor/own-20260101', 2],
    ['a model that it leaves out', 'claude-opus-5', 5],
  ])('takes a given price before the built-in one for %s', (_name, model, dollars) => {
    const prices = [
      { model: 'claude-haiku-4-5', input: 7, output: 1 },
      { model: 'vendor/own', input: 3, output: 1 },
      { model: 'vendor/own-20260101', input: 2, output: 1 },
    ];
    expect(costOf(million, model, prices)).toBeCloseTo(dollars, 9);
  });

  it('takes given prices of the cache, and without them none below those of input', () => {
    const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 1_000_000, cacheWriteTokens: 1_000_000 };
    const row = { model: 'm', input: 4, output: 8 };
    expect(costOf(usage, 'm', [{ ...row, cacheRead: 1, cacheWrite: 2 }])).toBeCloseTo(3, 9);
    expect(costOf(usage, 'm', [row])).toBeCloseTo(4 + 5, 9);
  });

  it('adds up the four kinds of tokens', () => {
    const usage = { inputTokens: 1000, outputTokens: 200, cacheReadTokens: 10_000, cacheWriteTokens: 400 };
    expect(costOf(usage, 'claude-haiku-4-5')).toBeCloseTo((1000 + 200 * 5 + 10_000 * 0.1 + 400 * 1.25) / 1e6, 12);
  });

  it('charges the long-prompt price for a prompt above the threshold, cached tokens counted', () => {
    const short = { inputTokens: 1000, outputTokens: 1000, cacheReadTokens: 99_000, cacheWriteTokens: 0 };
    expect(costOf(short, 'claude-haiku-5-5')).toBeCloseTo((100 + 500 + 990) / 1e6, 12);
    const long = { ...short, inputTokens: 1001 };
    expect(costOf(long, 'claude-haiku-5-5')).toBeCloseTo((500.5 + 2500 + 4950) / 1e6, 12);
  });
});
