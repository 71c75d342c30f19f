/**
 * The moments of a schedule, parsed once from its text. The only importer of the cron library.
 *
 * Daylight saving, as the library handles it: a moment at one fixed time of day that a day lacks comes when the clock has
 * jumped forward; a moment that a day has twice comes at the first of them. Repeating moments (`*`, lists, steps) are skipped
 * in the gap and come in both passes of the repeated hour. Source: croner 11, DST handling.
 */
import { Cron } from 'croner';
import { err, ok, type Result } from '../std/result.ts';

/** Moments in milliseconds since 1970, each on a full minute. Total: the same answer for the same arguments. */
export interface Moments {
  /** The first moment later than this one; undefined if there is none. */
  after(atMs: number): number | undefined;
  /** The last moments in `(afterMs, untilMs]`, oldest first, no more than `countMax`. */
  latest(range: MomentRange): readonly number[];
}

export interface MomentRange {
  readonly afterMs: number;
  readonly untilMs: number;
  readonly countMax: number;
}

/** @returns an error for a faulty text; a schedule without a moment left is no error */
export function readMoments(cron: string, timeZone: string): Result<Moments, string> {
  const parsed = parse(cron, timeZone);
  if (!parsed.ok) return parsed;
  const schedule = parsed.value;
  return ok({
    after: (atMs) => schedule.nextRun(new Date(atMs))?.getTime(),
    latest: ({ afterMs, untilMs, countMax }) => {
      if (untilMs <= afterMs) return [];
      // The library's end is exclusive.
      const found = schedule.previousRuns(countMax, new Date(untilMs + 1)).map((moment) => moment.getTime());
      return found.filter((momentMs) => momentMs > afterMs && momentMs <= untilMs).toReversed();
    },
  });
}

/** Of a schedule that has one moment. */
export function oneMoment(momentMs: number): Moments {
  return {
    after: (atMs) => (atMs < momentMs ? momentMs : undefined),
    latest: ({ afterMs, untilMs }) => (afterMs < momentMs && momentMs <= untilMs ? [momentMs] : []),
  };
}

function parse(cron: string, timeZone: string): Result<Cron, string> {
  try {
    const schedule = new Cron(cron, { timezone: timeZone, mode: '5-part', paused: true });
    // The library reports an unknown time zone only at the first query.
    schedule.nextRun(new Date(0));
    return ok(schedule);
  } catch (cause) {
    return err(cause instanceof RangeError || cause instanceof TypeError ? cause.message : 'cannot be read');
  }
}
