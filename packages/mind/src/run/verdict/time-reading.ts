/** Times of day as people write them: `14:30`, `14h30`, `14.30 Uhr`, `2:30 pm`, `14 Uhr`. */

/** One form for each, longer ones first; `marks` holds what makes a number a time where no colon does. */
const forms: readonly RegExp[] = [
  /(?<![\d:.])(\d{1,2})[:.](\d{2})(?::\d{2})?\s?([ap])\.?m\b\.?/gi,
  /(?<![\d:])(\d{1,2}):(\d{2})(?::\d{2})?(?![\d:])/g,
  /(?<![\d.])(\d{1,2})\.(\d{2})\s?(?=(?:Uhr|uur)(?!\p{L}))/gu,
  /(?<![\d.])(\d{1,2})\s?h\s?(\d{2})(?![\d\p{L}]|\s?m)/gu,
  /(?<![\d.,])(\d{1,2})()\s?([ap])\.?m\b\.?/gi,
  /(?<![\d.,])(\d{1,2})()\s?(?=(?:Uhr|uur|o[’']clock)(?!\p{L}))/gu,
];

export interface TimeReading {
  readonly text: string;
  readonly start: number;
  /** Minutes since midnight. */
  readonly minute: number;
  /** What it comes to as a duration: `12:34` has hours and minutes, or minutes and seconds. */
  readonly seconds: readonly number[];
}

export function timesIn(text: string): readonly TimeReading[] {
  const found: TimeReading[] = [];
  for (const form of forms) {
    for (const match of text.matchAll(form)) {
      const [whole, hours = '', minutes = '', half] = match;
      const minute = minuteOf(Number(hours), Number(minutes || '0'), half?.toLowerCase());
      const isNew = found.every(
        (it) => match.index >= it.start + it.text.length || match.index + whole.length <= it.start,
      );
      if (minute !== undefined && isNew)
        found.push({ text: whole.trim(), start: match.index, minute, seconds: secondsIn(whole) });
    }
  }
  return found.toSorted((a, b) => a.start - b.start);
}

function minuteOf(hours: number, minutes: number, half: string | undefined): number | undefined {
  if (hours > 24 || minutes > 59) return undefined;
  if (half === undefined) return hours * 60 + minutes;
  return hours > 12 ? undefined : ((hours % 12) + (half === 'p' ? 12 : 0)) * 60 + minutes;
}

function secondsIn(text: string): readonly number[] {
  const [first = 0, second = 0, third] = text.split(/:|\s?h\s?/i).map((it) => Number.parseInt(it, 10));
  return third === undefined ? [first * 60 + second, first * 3600 + second * 60] : [first * 3600 + second * 60 + third];
}
