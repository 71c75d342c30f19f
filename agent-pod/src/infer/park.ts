/** Decides which failures a call waits out, and when its provider is tried next. Pure. */
import { backoffMs } from '@retainer/contract/std/backoff';
import { canPass, OUT_OF_REACH, type ModelFailureKind } from '@retainer/mind/request/model-request';
import type { TriedFailure } from './model-attempt.ts';

/** Failures of the whole provider; the others may be of one model alone. */
const OF_PROVIDER: ReadonlySet<ModelFailureKind> = new Set(['Network']);

/** Before the first try: a server that restarts is back after seconds. */
const FIRST_MS = 5_000;

/** Most between two tries: an outage that is over is noticed within minutes, and a day of it costs some 300 requests. */
const PARK_MS_MAX = 5 * 60_000;

/** The longest wait that a server may ask for. A longer one is an error of its clock, and a day is soon enough to see that. */
export const ASKED_WAIT_MS_MAX = 24 * 3_600_000;

/** Agents that lost their provider together should not return together. */
const JITTER_RATIO = 0.25;

/** Whether waiting can help. An answer that began and took all its time would take it again. */
export function passes({ kind, isFinal }: Pick<TriedFailure, 'kind' | 'isFinal'>): boolean {
  return canPass(kind) && isFinal !== true;
}

export function isOfProvider(kind: ModelFailureKind): boolean {
  return OF_PROVIDER.has(kind);
}

/** Whether another model is asked in its place, where there is one. What limits requests may limit those of the other, too. */
export function isReplaced(kind: ModelFailureKind): boolean {
  return OUT_OF_REACH.some((it) => it === kind);
}

/** @param failedTries  of the outage, from 1  @param random  0 to 1  @returns milliseconds until the next try */
export function parkMs(
  { retryAfterMs }: Pick<TriedFailure, 'retryAfterMs'>,
  failedTries: number,
  random: number,
): number {
  const policy = { initialMs: FIRST_MS, factor: 2, ceilingMs: PARK_MS_MAX, jitterRatio: JITTER_RATIO };
  // A server that asks for no wait, or for one by a wrong clock, is not asked without end.
  return Math.min(Math.max(retryAfterMs ?? 0, backoffMs(policy, failedTries - 1, random)), ASKED_WAIT_MS_MAX);
}
