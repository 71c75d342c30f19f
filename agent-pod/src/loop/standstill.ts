/** The time in which no process drove a run, as its machines are told it. Pure. */
import type { CycleEvent } from '@retainer/mind/cycle/event';
import type { StandstillCause } from '@retainer/mind/cycle/standing-still';
import type { OpenCycle } from '@retainer/mind/projections/open-work';
import type { RunEvent } from '@retainer/mind/run/event';

export interface StandstillInput {
  readonly kind: 'StoodStill';
  readonly atMs: number;
  readonly forMs: number;
  readonly why: StandstillCause;
}

/**
 * The last moment at which a process is known to have driven the run: that of the newest record of the run or of one of its open
 * cycles, milliseconds since 1970. What it did after that record is not known, and does not count either.
 */
export function drivenToMs(runId: string, events: readonly RunEvent[], cycles: ReadonlyMap<string, OpenCycle>): number {
  const ofCycles = [...cycles.values()].filter((it) => it.runId === runId).map((it) => newestMs(it.events));
  return Math.max(newestMs(events), ...ofCycles);
}

/** In their order: a clock that was set back makes the newest no latest. */
function newestMs(events: readonly (RunEvent | CycleEvent)[]): number {
  const newest = events.findLast((event) => 'atMs' in event);
  return newest === undefined || !('atMs' in newest) ? 0 : newest.atMs;
}

export function restarted(lastMs: number, nowMs: number): StandstillInput {
  return { kind: 'StoodStill', atMs: nowMs, forMs: nowMs - lastMs, why: 'Restarted' };
}
