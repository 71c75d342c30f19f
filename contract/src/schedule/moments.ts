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
    latest: (range) => backwards(schedule, range).toReversed(),
  });
}

/** Moments asked of the library at once: most ranges hold fewer, and each costs as much as a moment that counts. */
const AT_ONCE = 16;

/** Newest first. */
function backwards(schedule: Cron, { afterMs, untilMs, countMax }: MomentRange): readonly number[] {
  const found: number[] = [];
  for (let beforeMs = untilMs; beforeMs > afterMs && found.length < countMax;) {
    // The library's end is exclusive.
    const some = schedule.previousRuns(Math.min(AT_ONCE, countMax - found.length), new Date(beforeMs + 1));
    const moments = some.map((moment) => moment.getTime()).filter((momentMs) => momentMs <= beforeMs);
    found.push(...moments.filter((momentMs) => momentMs > afterMs));
    beforeMs = (moments.at(-1) ?? afterMs) - 1;
  }
  return found;
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
