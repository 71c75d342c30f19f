/** The cost of a model call. Pure. */
import type { ModelPrice } from '@retainer/contract/api/agent-models';
import { isModel } from '@retainer/contract/api/known-models';
import type { Usage } from '@retainer/mind/request/model-request';
import type { TokenPrice } from '@retainer/mind/cycle/event';

/** US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** Of the five-minute cache, which we use. */
  readonly cacheWrite: number;
}

interface PriceRow {
  /** Model id without its date. */
  readonly model: string;
  readonly price: Price;
  /** Applies instead, to every token, for a prompt of more than `aboveTokens`. */
  readonly longPrompt?: { readonly aboveTokens: number; readonly price: Price };
}

/** List prices of the Messages API on 2026-10-24, without discounts (batches) and surcharges (regions, speed). */
const PRICES: readonly PriceRow[] = [
  { model: 'claude-fable-5-1', price: { input: 10, output: 50, cacheRead: 0.25, cacheWrite: 12.5 } },
  { model: 'claude-fable-5', price: { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 } },
  { model: 'claude-opus-5-5', price: { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 } },
  { model: 'claude-opus-5', price: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 } },
  { model: 'claude-opus-4-8', price: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 } },
  { model: 'claude-opus-4-7', price: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 } },
  { model: 'claude-opus-4-6', price: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 } },
  { model: 'claude-opus-4-5', price: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 } },
  { model: 'claude-opus-4-1', price: { input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75 } },
  { model: 'claude-sonnet-5-5', price: { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 } },
  { model: 'claude-sonnet-5', price: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 } },
  { model: 'claude-sonnet-4-6', price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } },
  { model: 'claude-sonnet-4-5', price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } },
  {
    model: 'claude-haiku-5-5',
    price: { input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.125 },
    longPrompt: {
      aboveTokens: 100_000,
      price: { input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite: 0.625 },
    },
  },
  { model: 'claude-haiku-4-5', price: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 } },
  { model: 'scripted', price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } },
];

/** Price of a write to the five-minute cache over plain input, in every row above. */
const CACHE_WRITE_RATIO = 1.25;

/**
 * US dollars for one call, or `undefined` for a model without a price: unknown is not free.
 *
 * @param model  id of the model that answered, dated or not
 * @param prices  the Agent's own; they precede the built-in ones
 */
export function costOf(usage: Usage, model: string, prices: readonly ModelPrice[] = []): number | undefined {
  const row = rowOf(prices.map(ownRow), model) ?? rowOf(PRICES, model);
  if (row === undefined) return undefined;
  const promptTokens = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const isLong = row.longPrompt !== undefined && promptTokens > row.longPrompt.aboveTokens;
  const price = isLong ? (row.longPrompt?.price ?? row.price) : row.price;
  const microUsd =
    usage.inputTokens * price.input +
    usage.outputTokens * price.output +
    usage.cacheReadTokens * price.cacheRead +
    usage.cacheWriteTokens * price.cacheWrite;
  return microUsd / 1_000_000;
}

/**
 * Maximum prices of a prompt token and of an answer token in US dollars, cached or not; `undefined` for a model without a price.
 *
 * @param prices  the Agent's own; they precede the built-in ones
 */
export function mostPerToken(model: string, prices: readonly ModelPrice[] = []): TokenPrice | undefined {
  const row = rowOf(prices.map(ownRow), model) ?? rowOf(PRICES, model);
  if (row === undefined) return undefined;
  const either = [row.price, row.longPrompt?.price ?? row.price];
  const promptPrices = either.flatMap(({ input, cacheRead, cacheWrite }) => [input, cacheRead, cacheWrite]);
  return {
    promptUsd: Math.max(...promptPrices) / 1_000_000,
    answerUsd: Math.max(...either.map(({ output }) => output)) / 1_000_000,
  };
}

function rowOf(rows: readonly PriceRow[], model: string): PriceRow | undefined {
  return rows.find((row) => row.model === model) ?? rows.find((row) => isModel(model, row.model));
}

/** Assumes a missing cache price too high rather than too low, so that a cost limit holds. */
function ownRow({ model, input, output, cacheRead, cacheWrite }: ModelPrice): PriceRow {
  return {
    model,
    price: { input, output, cacheRead: cacheRead ?? input, cacheWrite: cacheWrite ?? input * CACHE_WRITE_RATIO },
  };
}
