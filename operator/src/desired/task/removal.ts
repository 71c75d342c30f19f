import type { ObservedTask } from '../../observe/observe-task.ts';

const SECOND_MS = 1000;

/**
 * When to delete a finished Task; undefined: not at all, or not yet.
 *
 * A waiting dependent must see its end first, and its schedule must count its run. Their events bring this Task back. A Task that
 * a Git controller keeps would be made again and run again, without end.
 */
export function removalAtMs(observed: ObservedTask): number | undefined {
  const { task, hasWaitingDependent, madeBy, runNumber, gitController } = observed;
  const { ttlSecondsAfterFinished } = task.spec;
  if (task.outcome === undefined || ttlSecondsAfterFinished === undefined || task.spec.schedule !== undefined)
    return undefined;
  if (gitController !== undefined) return undefined;
  if (hasWaitingDependent || (madeBy !== undefined && madeBy.runs < runNumber)) return undefined;
  const endings = ['Complete', 'Failed'].map((type) => task.conditions.get(type));
  const endedAtMs = task.finishedAtMs ?? endings.find((ending) => ending?.status === 'True')?.changedAtMs;
  return endedAtMs === undefined ? undefined : endedAtMs + ttlSecondsAfterFinished * SECOND_MS;
}
