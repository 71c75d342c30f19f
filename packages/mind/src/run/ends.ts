/**
 * Abandoned cycles also count with their usage. A run with a result concludes when each of them has reported its usage,
 * or when the wait is over.
 *
 * Source: design 3 (budgets of a Task).
 */
import { received, stoodMs, unendedRoleCycles, type RunState } from './state.ts';

/** Milliseconds. An abandoned cycle writes its end at once; after a crash the next process ends it. */
const ENDS_WAIT_MS = 1_000;

/** The moment at which the run concludes without them, milliseconds since 1970; undefined when the run waits for none. */
export function endsDueMs(state: RunState): number | undefined {
  const [final] = received(state, 'FinalResult');
  const isAwaited = final !== undefined && state.concluded === undefined && unendedRoleCycles(state).length > 0;
  return isAwaited ? final.atMs + stoodMs(state, final.atMs) + ENDS_WAIT_MS : undefined;
}
