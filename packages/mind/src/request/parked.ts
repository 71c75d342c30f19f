/** A model call that waits until its provider can be asked. Source: design 7 (no usable provider). */
import { utcSecond } from '@retainer/contract/std/utc-date';
import { z } from 'zod';
import { modelFailureKinds, type ModelFailureKind } from './model-request.ts';

/** Why a call waits for its provider. Without the server's words, which may quote what it was asked. */
export const parkedFields = {
  /** Of the failure after which the calls began to wait. */
  sinceMs: z.number(),
  why: z.enum(modelFailureKinds),
  /** When the provider is tried next. */
  nextTryAtMs: z.number(),
};

export interface Parked {
  readonly sinceMs: number;
  readonly why: ModelFailureKind;
  readonly nextTryAtMs: number;
}

/** Of several that wait, the one that is tried next. */
export function nextTried(parked: Iterable<Parked>): Parked | undefined {
  return [...parked].toSorted((a, b) => a.nextTryAtMs - b.nextTryAtMs)[0];
}

const KIND_WORDS: Readonly<Record<ModelFailureKind, string>> = {
  RateLimited: 'its provider gets too many requests',
  Overloaded: 'its provider is overloaded',
  Network: 'its server cannot be reached or fails',
  Timeout: 'its server gives no answer',
  Authentication: 'its provider refuses the key',
  InvalidRequest: 'its provider refuses the request',
  Misconfigured: 'a setting of its address leads elsewhere',
  MalformedAnswer: 'its server sends no answer of the Messages API',
  Cancelled: 'its call was stopped',
};

/** Why, since when, and when it is tried next, without a full stop. */
export function parkedSentence(parked: Parked): string {
  const { sinceMs, nextTryAtMs } = parked;
  return `${parkedReason(parked)}; since ${utcSecond(sinceMs)}, next try at ${utcSecond(nextTryAtMs)}`;
}

/** For people and for conditions: holds none of the server's words. */
export function parkedReason({ why }: Pick<Parked, 'why'>): string {
  return `the model cannot be asked: ${KIND_WORDS[why]}`;
}
