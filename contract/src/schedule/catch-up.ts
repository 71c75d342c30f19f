/**
 * Which moment of a schedule is served now, and what becomes of those that were missed.
 *
 * One rule for both programs: the operator makes Tasks by it, and an agent starts its jobs by it.
 */
import type { CatchUp } from '../api/fields.ts';
import type { Moments } from './moments.ts';

/** Missed moments that `All` makes up for, the last ones: five days of an hourly schedule. */
export const CATCH_UP_RUNS_MAX = 120;
/** With `Skip`, the lateness up to which a moment is still served: longer than a change of the operator's leader. */
export const LATE_START_MS_MAX = 120_000;

/** Moments in milliseconds since 1970. */
export interface Missing {
  readonly catchUp: CatchUp;
  /** Moments up to this one are over: the last served one, or when the schedule was made. */
  readonly servedMs: number;
  readonly nowMs: number;
  /** No later moment counts; undefined: none is too late. */
  readonly untilMs: number | undefined;
}

/** `Skip` makes up for no missed moment, `Once` for the last, `All` for one after the other, oldest first. */
export function momentToServe(moments: Moments, { catchUp, servedMs, nowMs, untilMs }: Missing): number | undefined {
  const due = moments.latest({
    afterMs: servedMs,
    untilMs: Math.min(nowMs, untilMs ?? Infinity),
    countMax: catchUp === 'All' ? CATCH_UP_RUNS_MAX : 1,
  });
  const last = due.at(-1);
  switch (catchUp) {
    case 'Skip':
      return last !== undefined && nowMs - last <= LATE_START_MS_MAX ? last : undefined;
    case 'Once':
      return last;
    case 'All':
      return due[0];
  }
}
