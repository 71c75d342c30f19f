import type { ObservedTask } from '../../observe/observe-task.ts';

const SECOND_MS = 1000;

/**
 * When a finished Task is to be deleted; undefined: it is kept, or kept for now.
 *
 * Another Task that waits for this one still has to see how it ended, and a schedule has to have counted its run: an event of
 * theirs brings this one back.
 */
export function removalAtMs({ task, hasWaitingDependent, madeBy, runNumber }: ObservedTask): number | undefined {
  const { ttlSecondsAfterFinished } = task.spec;
  if (task.outcome === undefined || ttlSecondsAfterFinished === undefined || task.spec.schedule !== undefined)
    return undefined;
  if (hasWaitingDependent || (madeBy !== undefined && madeBy.runs < runNumber)) return undefined;
  const endings = ['Complete', 'Failed'].map((type) => task.conditions.get(type));
  const endedAtMs = task.finishedAtMs ?? endings.find((ending) => ending?.status === 'True')?.changedAtMs;
  return endedAtMs === undefined ? undefined : endedAtMs + ttlSecondsAfterFinished * SECOND_MS;
}
