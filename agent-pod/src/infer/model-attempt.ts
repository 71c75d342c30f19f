/** One try of a model call by an adapter. `retrying-model.ts` turns adapters into a `ModelPort`. */
import type { Result } from '@retainer/contract/std/result';
import type { InferOptions } from '../ports/ports.ts';
import type { ModelAnswer, ModelFailure, ModelFailureKind, ModelRequest } from '@retainer/mind/request/model-request';

/** An answer without the facts that only the retrying caller knows. */
export type AttemptAnswer = Omit<ModelAnswer, 'latencyMs' | 'attempts'>;

export interface AttemptFailure {
  readonly kind: ModelFailureKind;
  /** For people and the journal; holds no secret. */
  readonly message: string;
  /** Requested by the server; milliseconds from now. */
  readonly retryAfterMs?: number;
  /** The answer began and took all the time that it may: another try would, too. */
  readonly isFinal?: true;
}

/** The failure of a call with all its tries, with what tells whether it passes. */
export type TriedFailure = ModelFailure &
  Pick<AttemptFailure, 'retryAfterMs' | 'isFinal'> & {
    /** Tries in which an answer began: somebody pays for each. */
    readonly begun?: number;
  };

export interface AttemptContext {
  /** Stable over a restart. */
  readonly callId: string;
  /** 1 for the first try. */
  readonly attempt: number;
  /** Aborts when the caller cancels, the time is up, or the model is silent for too long. */
  readonly signal: AbortSignal;
  /** Call it whenever a part of the answer arrives, not for its headers; a long silence after the first ends the attempt. */
  readonly progress: () => void;
}

/**
 * Tries once, without a retry or a time-out of its own.
 *
 * Returns failures of the provider; rejects only on a bug. May continue for a moment after `signal` aborts; nobody waits for it.
 */
export interface ModelAttempter {
  readonly name: string;
  attempt(request: ModelRequest, context: AttemptContext): Promise<Result<AttemptAnswer, AttemptFailure>>;
}

/** An adapter with its retries: its failures still say whether they pass. */
export interface TryingModel {
  readonly name: string;
  infer(request: ModelRequest, options: InferOptions): Promise<Result<ModelAnswer, TriedFailure>>;
}

/**
 * Longest accepted answer, text and tool inputs together, UTF-16 code units.
 *
 * The largest output a model offers is 128,000 tokens, about 450,000 characters; 4 Mi leaves room for
 * tokens of unusual text and still bounds the memory of one call.
 */
export const ANSWER_CHARS_MAX = 4 * 1024 * 1024;

/** The failure of an answer beyond {@link ANSWER_CHARS_MAX}, equal for all models. */
export function answerTooLong(): AttemptFailure {
  return {
    kind: 'MalformedAnswer',
    message: `the answer is longer than ${ANSWER_CHARS_MAX} characters and was dropped`,
  };
}
