/** Days and times of day that texts tell, as numbers to compute with. */
import { datesIn, dayNumber } from './date-reading.ts';
import { withAsciiDigits } from './number-reading.ts';
import { timesIn } from './time-reading.ts';

/** The days of the two lines that a text speaks of; none of any other number of lines. */
export function daysOfTwo(outputs: readonly string[], said: string): readonly number[] {
  const words = new Set(said.toLowerCase().match(/\p{L}{3,}/gu) ?? []);
  const isNamed = (line: string): boolean =>
    (line.toLowerCase().match(/\p{L}{3,}/gu) ?? []).some((it) => words.has(it));
  const dated = outputs.flatMap((it) => it.split('\n')).filter((line) => daysIn(line).length === 1 && isNamed(line));
  return dated.length === 2 ? dated.flatMap(daysIn) : [];
}

/** Each once, in seconds since midnight. */
export function momentsIn(text: string): readonly number[] {
  return [...new Set(timesIn(withAsciiDigits(text)).flatMap(({ seconds }) => seconds.at(-1) ?? []))];
}

/** Each once; see `dayNumber`. */
export function daysIn(text: string): readonly number[] {
  const days = datesIn(withAsciiDigits(text)).flatMap((it) => it.days);
  return [...new Set(days.flatMap((it) => dayNumber(it) ?? []))];
}

/** Most days, and times, that are paired: of more, two are any time apart. */
const PAIRED_TIMES_MAX = 4;

/** From each moment to each other one. */
export function gapsAmong(moments: readonly number[]): readonly number[] {
  if (moments.length > PAIRED_TIMES_MAX) return [];
  return moments.flatMap((one, at) => moments.slice(at + 1).map((other) => Math.abs(other - one)));
}
