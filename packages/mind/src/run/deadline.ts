import type { RunState } from './state.ts';

/**
 * The moment at which the watchdog ends the run, milliseconds since 1970: the Task's deadline, or the end of its wall
 * clock. While the run waits for people only the deadline counts.
 *
 * Source: artoo A.2; design 7 (questions). Differs: every Task has a wall clock, so no factor of the time budget is needed.
 */
export function deadlineOf({ spec, waitingSinceMs, startedAtMs, waitedMs }: RunState): number {
  const deadline = spec.deadlineMs ?? Infinity;
  return waitingSinceMs === undefined ? Math.min(deadline, startedAtMs + waitedMs + spec.wallClockMs) : deadline;
}
