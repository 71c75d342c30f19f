/**
 * Keeps the last verdict that nothing but a setting changes, for a moment: whoever asks right after it, such as the Archivist about
 * the run that failed for it, gets the same verdict, and no further request or handshake is made for it.
 */
import type { Clock } from '@retainer/contract/std/clock';
import { err } from '@retainer/contract/std/result';
import type { ModelFailureKind } from '@retainer/mind/request/model-request';
import type { AttemptFailure, ModelAttempter } from './model-attempt.ts';

/** Shorter than any person needs to mend a setting and to try again. */
export const FAULT_KEPT_MS = 2000;

/** Kinds that depend on nothing in the request but the name of its model. */
const KEPT: readonly ModelFailureKind[] = ['Misconfigured', 'Authentication'];

export function keepingFaults(adapter: ModelAttempter, clock: Pick<Clock, 'monotonicMs'>): ModelAttempter {
  let known: { readonly failure: AttemptFailure; readonly model: string; readonly untilMs: number } | undefined;
  return {
    name: adapter.name,
    attempt: async (request, context) => {
      if (known !== undefined && known.model === request.model && clock.monotonicMs() < known.untilMs)
        return err(known.failure);
      const outcome = await adapter.attempt(request, context);
      known =
        outcome.ok || !KEPT.includes(outcome.error.kind)
          ? undefined
          : { failure: outcome.error, model: request.model, untilMs: clock.monotonicMs() + FAULT_KEPT_MS };
      return outcome;
    },
  };
}
