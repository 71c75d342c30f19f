/**
 * What cycles that were given up have used counts too: a run with its result is told when each of them has said it, or when
 * that was waited for long enough.
 *
 * Source: design 3 (budgets of a Task).
 */
import { received, unendedRoleCycles, type RunState } from './state.ts';

/** A cycle that is given up writes its end at once; one of a process that died is ended by the next one. Milliseconds. */
const ENDS_WAIT_MS = 1_000;

/** When the run is told without them, milliseconds since 1970; undefined where nothing is waited for. */
export function endsDueMs(state: RunState): number | undefined {
  const [final] = received(state, 'FinalResult');
  const isAwaited = final !== undefined && state.concluded === undefined && unendedRoleCycles(state).length > 0;
  return isAwaited ? final.atMs + ENDS_WAIT_MS : undefined;
}
