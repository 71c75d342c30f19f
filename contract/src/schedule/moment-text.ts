/**
 * One moment as people write it: RFC 3339 with an offset, or a local time of a zone.
 *
 * A local time that the clock jumps over counts from when it has jumped; one that a day has twice is the first of them. So one moment
 * and a cron text that names it are the same time: both are read by `moments.ts`.
 */
import { err, ok, type Result } from '../std/result.ts';
import { readMoments } from './moments.ts';

const FORM =
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})[Tt ](?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:\.\d{1,9})?)?(?<offset>[Zz]|[+-]\d{2}:\d{2})?$/;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** More than any zone differs from UTC. */
const ZONE_DIFFERENCE_MAX_MS = 26 * HOUR_MS;

interface Fields {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/**
 * Fractions of a second are left out.
 *
 * @param timeZone  of a text without an offset; a zone that exists
 * @returns milliseconds since 1970, or what is wrong with the text, as the end of a sentence
 */
export function readMomentText(text: string, timeZone: string): Result<number, string> {
  const groups = FORM.exec(text.trim())?.groups;
  if (groups === undefined) return err('is no date with a time');
  const at = (name: string): number => Number(groups[name] ?? 0);
  const [year, month, day] = [at('year'), at('month'), at('day')];
  const fields: Fields = { year, month, day, hour: at('hour'), minute: at('minute'), second: at('second') };
  if (day < 1 || day > daysOfMonth(fields)) return err('names a day that its month does not have');
  if (fields.hour > 23 || fields.minute > 59 || fields.second > 59) return err('names a time that a day does not have');
  const { offset } = groups;
  return offset === undefined ? localMoment(fields, timeZone) : offsetMoment(fields, offset);
}

function offsetMoment(fields: Fields, offset: string): Result<number, string> {
  if (/^z$/i.test(offset)) return ok(utcOf(fields));
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(4, 6))];
  if (hours > 23 || minutes > 59) return err('has an offset that no zone has');
  const offsetMs = hours * HOUR_MS + minutes * MINUTE_MS;
  return ok(utcOf(fields) - (offset.startsWith('-') ? -offsetMs : offsetMs));
}

function localMoment(fields: Fields, timeZone: string): Result<number, string> {
  const { month, day, hour, minute, second } = fields;
  const read = readMoments(`${minute} ${hour} ${day} ${month} *`, timeZone);
  if (!read.ok) return err(`cannot be read in the time zone ${JSON.stringify(timeZone)}`);
  const asUtcMs = utcOf({ ...fields, second: 0 });
  const minuteMs = read.value.after(asUtcMs - ZONE_DIFFERENCE_MAX_MS);
  const isThatDay = minuteMs !== undefined && minuteMs < asUtcMs + ZONE_DIFFERENCE_MAX_MS;
  return isThatDay ? ok(minuteMs + second * 1000) : err('is no time of that day in that zone');
}

/** 0 for a month that is none. */
function daysOfMonth({ year, month }: Fields): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
}

/** As if the fields were of UTC. */
function utcOf({ year, month, day, hour, minute, second }: Fields): number {
  return daysSince1970(year, month, day) * DAY_MS + hour * HOUR_MS + minute * MINUTE_MS + second * 1000;
}

/** Of the Gregorian calendar. The year begins in March, so that the leap day is its last. */
function daysSince1970(year: number, month: number, day: number): number {
  const fromMarch = month > 2 ? year : year - 1;
  const era = Math.floor(fromMarch / 400);
  const yearOfEra = fromMarch - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}
