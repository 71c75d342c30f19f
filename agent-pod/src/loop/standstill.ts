/** The time in which no process drove a run, as its machines are told it. Pure. */
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
  const ofCycles = [...cycles.values()].filter((it) => it.runId === runId).flatMap((it) => it.events);
  let lastMs = 0;
  for (const event of [...events, ...ofCycles]) if ('atMs' in event) lastMs = Math.max(lastMs, event.atMs);
  return lastMs;
}

export function restarted(lastMs: number, nowMs: number): StandstillInput {
  return { kind: 'StoodStill', atMs: nowMs, forMs: nowMs - lastMs, why: 'Restarted' };
}
