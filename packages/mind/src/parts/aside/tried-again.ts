/** Runs that a person or a new version wanted again. */
import { defineProjection } from '../../part/projection.ts';
import { setAsideKinds } from './set-aside.ts';

export interface TriedAgain {
  /** Not set aside since: a start drives them, even if nothing of them was recorded. */
  readonly open: Set<string>;
  /** They had ended: the same work begins anew, as a run of its own. */
  readonly anew: Set<string>;
}

export const triedAgain = defineProjection({
  store: 'agent',
  kinds: setAsideKinds,
  start: (): TriedAgain => ({ open: new Set(), anew: new Set() }),
  folds: {
    RunSetAside: ({ open }, { runId }) => void open.delete(runId),
    RunTriedAgain: ({ open }, { runId }) => void open.add(runId),
    RunGivenUp: ({ open }, { runId }) => void open.delete(runId),
    RunAskedAnew: ({ anew }, { runId }) => void anew.add(runId),
    GivenUpDelivered: () => undefined,
  },
  others: { because: 'it is about no run that is wanted again' },
  window: 'WholeStore',
  cached: { because: 'its store is small' },
});

/** The number of attempts at the same work, from 1. @param runOf  the run of each attempt */
export function attemptOf({ anew }: Pick<TriedAgain, 'anew'>, runOf: (attempt: number) => string): number {
  let attempt = 1;
  while (anew.has(runOf(attempt))) attempt += 1;
  return attempt;
}
