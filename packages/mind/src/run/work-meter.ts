/** How long a run worked, without its waits and standstills: derived from its record, which says when it began and ended. */
import type { RunEvent } from './event.ts';
import { evolveRun } from './evolve.ts';
import { elapsedMs, type RunState } from './state.ts';

/** Takes the events of any runs in their order. @returns milliseconds at the end of a run; undefined before, and without its start */
export type WorkMeter = (runId: string, event: RunEvent) => number | undefined;

export function workMeter(): WorkMeter {
  const runs = new Map<string, RunState>();
  return (runId, event) => {
    const before = runs.get(runId);
    if (before === undefined && event.kind !== 'RunAdmitted') return undefined;
    const state = evolved(before, event);
    if (state === undefined) runs.delete(runId);
    if (state === undefined) return undefined;
    if (event.kind !== 'RunConcluded') {
      runs.set(runId, state);
      return undefined;
    }
    runs.delete(runId);
    return elapsedMs(state);
  };
}

/** Undefined where records are missing before this one: then nobody can tell. */
function evolved(before: RunState | undefined, event: RunEvent): RunState | undefined {
  try {
    return evolveRun(before, event);
  } catch {
    return undefined;
  }
}
