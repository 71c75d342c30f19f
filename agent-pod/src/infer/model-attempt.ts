/** One try of one model call: what an adapter offers, and `retrying-model.ts` makes a `ModelPort` of. */
import type { Result } from '@retainer/contract/std/result';
import type { ModelAnswer, ModelFailureKind, ModelRequest } from '@retainer/mind/request/model-request';

/** An answer without what only the retrying caller knows. */
export type AttemptAnswer = Omit<ModelAnswer, 'latencyMs' | 'attempts'>;

export interface AttemptFailure {
  readonly kind: ModelFailureKind;
  /** For people and the journal; holds no secret. */
  readonly message: string;
  /** What the server asked for, milliseconds from now. */
  readonly retryAfterMs?: number;
}

export interface AttemptContext {
  /** Stable over a restart. */
  readonly callId: string;
  /** 1 for the first try. */
  readonly attempt: number;
  /** Aborted when the caller cancels, the time is up, or nothing came for too long. */
  readonly signal: AbortSignal;
  /** Called whenever something arrives from the model; too long a silence ends the attempt. */
  readonly progress: () => void;
}

/**
 * Tries once, without a retry and without a time-out of its own.
 *
 * Returns what a provider can do wrong; rejects only on a bug. May go on for a moment after `signal` is
 * aborted: nobody waits for it then.
 */
export interface ModelAttempter {
  readonly name: string;
  attempt(request: ModelRequest, context: AttemptContext): Promise<Result<AttemptAnswer, AttemptFailure>>;
}

/**
 * Longest answer that is taken, text and tool inputs together, UTF-16 code units.
 *
 * The largest output a model offers is 128,000 tokens, about 450,000 characters; 4 Mi leaves room for
 * tokens of unusual text and still bounds the memory of one call.
 */
export const ANSWER_CHARS_MAX = 4 * 1024 * 1024;

/** The failure of an answer beyond {@link ANSWER_CHARS_MAX}, the same for every model. */
export function answerTooLong(): AttemptFailure {
  return {
    kind: 'MalformedAnswer',
    message: `the answer is longer than ${ANSWER_CHARS_MAX} characters and was dropped`,
  };
}
