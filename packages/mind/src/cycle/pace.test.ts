import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { together, waitMs, withAnswer, type Pace } from './pace.ts';

const answer = (inputTokens: number, outputTokens: number, latencyMs: number, attempts = 1) => ({
  usage: { inputTokens, outputTokens, cacheReadTokens: 5000, cacheWriteTokens: 0 },
  latencyMs,
  attempts,
});

const bounds = { firstMs: 20_000, mostMs: 240_000 };

describe('the pace of a model', () => {
  it('is measured by answers that came at the first try, of each model apart, without what a cache held', () => {
    const first = withAnswer([], 'big', answer(1000, 100, 20_000));
    expect(first).toEqual([{ model: 'big', work: 2200, ms: 20_000 }]);
    expect(withAnswer(first, 'big', answer(1000, 100, 90_000, 2))).toEqual(first);
    expect(withAnswer(first, 'big', answer(0, 0, 90_000))).toEqual(first);
    const both = withAnswer(withAnswer(first, 'small', answer(300, 0, 1000)), 'big', answer(0, 100, 10_000));
    expect(both).toEqual([
      { model: 'big', work: 3400, ms: 30_000 },
      { model: 'small', work: 300, ms: 1000 },
    ]);
  });

  it('gives the time of another call', () => {
    const paces = [{ model: 'big', work: 2200, ms: 20_000 }];
    const of = (model: string, promptTokens: number, answerTokens: number): number =>
      waitMs(paces, { model, promptTokens, answerTokens }, bounds);
    expect(of('big', 2000, 400)).toBe(Math.ceil((2 * 6800 * 20_000) / 2200));
    expect(of('big', 100, 10)).toBe(20_000);
    expect(of('big', 100_000, 1000)).toBe(240_000);
    expect(of('other', 2000, 400)).toBe(20_000);
    expect(
      waitMs(paces, { model: 'big', promptTokens: 2000, answerTokens: 400 }, { firstMs: 60_000, mostMs: 5_000 }),
    ).toBe(60_000);
  });

  it('keeps every wait between its bounds, whatever was measured', () => {
    const pace = fc.record<Pace>({
      model: fc.constantFrom('a', 'b'),
      work: fc.integer({ min: 1, max: 1e7 }),
      ms: fc.nat(1e8),
    });
    const size = fc.record({ model: fc.constantFrom('a', 'b'), promptTokens: fc.nat(1e6), answerTokens: fc.nat(1e5) });
    fc.assert(
      fc.property(fc.array(pace), size, (paces, asked) => {
        const ms = waitMs(paces, asked, bounds);
        expect(Number.isInteger(ms) && ms >= bounds.firstMs && ms <= bounds.mostMs).toBe(true);
        expect(waitMs(together(paces), asked, bounds)).toBe(ms);
      }),
    );
  });
});
