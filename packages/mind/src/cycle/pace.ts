/**
 * How fast models answer, as the answers in a record tell it, and how long another call of theirs may take. Limits of time that
 * nobody set follow it: what suffices a provider is never enough for a model on a desk.
 *
 * The work of a call is counted in tokens of a prompt that no cache held, so that one figure tells the speed.
 */
import { z } from 'zod';
import type { ModelAnswer, Usage } from '../request/model-request.ts';

/** What the calls of one model took together. */
export const Pace = z.object({
  /** As it was asked for. */
  model: z.string(),
  /** See {@link workOf}. */
  work: z.number(),
  /** Milliseconds. */
  ms: z.number(),
});
export type Pace = z.infer<typeof Pace>;

/**
 * A token of an answer takes as long as this many of a prompt. Measured of a 1.5B model on two cores: 100 tokens a second of prompt,
 * 8 of answer. Providers are near it, too, and an estimate that is half of the truth still holds.
 */
const ANSWER_WORK = 12;

/** A call takes at most so many times what its work took on the average: sizes are estimates, and another call may run beside it. */
const SLACK = 2;

/** The expected size of a call. */
export interface CallSize {
  readonly promptTokens: number;
  readonly answerTokens: number;
}

/** Tokens of a prompt that take as long. */
function workOf({ promptTokens, answerTokens }: CallSize): number {
  return promptTokens + ANSWER_WORK * answerTokens;
}

function sizeOf({ inputTokens, cacheWriteTokens, outputTokens }: Usage): CallSize {
  return { promptTokens: inputTokens + cacheWriteTokens, answerTokens: outputTokens };
}

/** With one more answer; one that took several tries tells no speed. @param model  as it was asked for */
export function withAnswer(
  paces: readonly Pace[],
  model: string,
  { usage, latencyMs, attempts }: Pick<ModelAnswer, 'usage' | 'latencyMs' | 'attempts'>,
): readonly Pace[] {
  const work = workOf(sizeOf(usage));
  return attempts > 1 || work === 0 ? paces : together([...paces, { model, work, ms: latencyMs }]);
}

/** One for each model, in the order of their first. */
export function together(paces: readonly Pace[]): readonly Pace[] {
  const sums = new Map<string, Pace>();
  for (const { model, work, ms } of paces) {
    const sum = sums.get(model) ?? { model, work: 0, ms: 0 };
    sums.set(model, { model, work: sum.work + work, ms: sum.ms + ms });
  }
  return [...sums.values()];
}

/** Milliseconds: what is waited before anything was measured, and at most. */
export interface WaitBounds {
  readonly firstMs: number;
  readonly mostMs: number;
}

/** Whole milliseconds that a call of this size may take. Never less than the first value, and never more than the greater of both. */
export function waitMs(
  paces: readonly Pace[],
  { model, ...size }: CallSize & { readonly model: string },
  { firstMs, mostMs }: WaitBounds,
): number {
  const pace = together(paces).find((it) => it.model === model);
  const expectedMs = pace === undefined ? 0 : Math.ceil((SLACK * workOf(size) * pace.ms) / pace.work);
  return Math.max(firstMs, Math.min(expectedMs, mostMs));
}
