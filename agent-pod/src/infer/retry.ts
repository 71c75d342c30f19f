/** Decides which failures of a model call are retried, and after which delay. Pure. */
import { backoffMs } from '@retainer/contract/std/backoff';
import type { ModelFailureKind } from '@retainer/mind/request/model-request';
import type { AttemptFailure } from './model-attempt.ts';

/** Retries, if the Agent sets no number. Source: springdrift 6. */
export const DEFAULT_RETRIES_MAX = 3;

interface RetryRule {
  /** Limit on retries, whatever the Agent allows. */
  readonly retriesMax?: number;
  /** Delay before the first retry; doubles with each. */
  readonly initialMs: number;
}

/** Longest delay within a call. Where a server asks for more, the call ends, and its work is parked. */
export const RETRY_DELAY_MS_MAX = 60_000;

/** Agents refused together should not return together. */
const JITTER_RATIO = 0.25;

/**
 * The one retry policy. A kind that is `undefined` here fails at once.
 *
 * Source: springdrift 6 (3 retries; 500, 5,000 and 2,000 ms; doubling; cap 60,000 ms).
 * Differs: a malformed answer is tried once more, because a proxy's hiccup looks like one, and no more,
 * because its tokens are paid for; delays have jitter; a Retry-After beyond the cap ends the call.
 */
const RETRY_TABLE = {
  RateLimited: { initialMs: 5000 },
  Overloaded: { initialMs: 2000 },
  Network: { initialMs: 500 },
  Timeout: { initialMs: 500 },
  MalformedAnswer: { retriesMax: 1, initialMs: 500 },
  Authentication: undefined,
  InvalidRequest: undefined,
  Cancelled: undefined,
  Misconfigured: undefined,
} as const satisfies Readonly<Record<ModelFailureKind, RetryRule | undefined>>;

/**
 * Delay before the next try, milliseconds, or `undefined` when there is none.
 *
 * @param failedAttempts  tries so far, from 1
 * @param random  0 to 1, for the jitter
 * @param retriesMax  from 0; a kind may allow fewer
 */
export function retryDelayMs(
  failure: Pick<AttemptFailure, 'kind' | 'retryAfterMs' | 'isFinal'>,
  failedAttempts: number,
  random: number,
  retriesMax: number = DEFAULT_RETRIES_MAX,
): number | undefined {
  const rule: RetryRule | undefined = RETRY_TABLE[failure.kind];
  if (
    failure.isFinal === true ||
    rule === undefined ||
    failedAttempts > Math.min(retriesMax, rule.retriesMax ?? retriesMax)
  )
    return undefined;
  if (failure.retryAfterMs !== undefined)
    return failure.retryAfterMs > RETRY_DELAY_MS_MAX ? undefined : Math.max(failure.retryAfterMs, 0);
  const policy = {
    initialMs: rule.initialMs,
    factor: 2,
    ceilingMs: RETRY_DELAY_MS_MAX,
    jitterRatio: JITTER_RATIO,
  };
  return backoffMs(policy, failedAttempts - 1, random);
}

/**
 * The delay that a server asks for in its headers, milliseconds; `undefined` without a valid one.
 *
 * @param read  one header by lower-case name
 * @param nowMs  wall clock, for the date form
 *
 * Source: RFC 9110 section 10.2.3 (seconds, or a date).
 */
export function retryAfterMs(read: (header: string) => string | null | undefined, nowMs: number): number | undefined {
  const milliseconds = nonNegative(read('retry-after-ms'));
  if (milliseconds !== undefined) return milliseconds;
  const value = read('retry-after');
  const seconds = nonNegative(value);
  if (seconds !== undefined) return Math.round(seconds * 1000);
  const dateMs = Date.parse(value ?? '');
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}

function nonNegative(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined || !/^\d{1,9}(?:\.\d{1,3})?$/.test(text.trim())) return undefined;
  return Number(text);
}
