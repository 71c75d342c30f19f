/** How long the Archivist waits for one answer about a run. */
import { waitMs, type WaitBounds } from '../cycle/pace.ts';
import { pacesOf, type RunState } from '../run/state.ts';

/** Of a usual question: the account of a run, and a page on it. */
const QUESTION_SIZE = { promptTokens: 4000, answerTokens: 1024 };

/** Milliseconds, at the speed that its model had in the run. */
export function archivistWaitMs(state: RunState, { model }: { readonly model: string }, bounds: WaitBounds): number {
  return waitMs(pacesOf(state), { model, ...QUESTION_SIZE }, bounds);
}
