/**
 * Dates as people write them, in several languages. Each reading lists its possible days: `YYYY-MM-DD`, `-MM-DD` where no year is
 * told, `YYYY-MM` where no day is.
 */
import { utcDate } from '@retainer/contract/std/utc-date';

/** First letters of the months, enough to distinguish them: English, German, French, Spanish, Italian, Dutch, Portuguese. */
const months: readonly (readonly string[])[] = [
  ['jan', 'jän', 'ene', 'gen'],
  ['feb', 'fév', 'fev'],
  ['mar', 'mär', 'mrz', 'maerz', 'maa', 'mrt'],
  ['apr', 'avr', 'abr'],
  ['may', 'mai', 'mag', 'mei'],
  ['jun', 'juin', 'giu'],
  ['jul', 'juil', 'lug'],
  ['aug', 'aoû', 'aou', 'ago'],
  ['sep', 'set'],
  ['oct', 'okt', 'ott', 'out'],
  ['nov'],
  ['dec', 'dez', 'déc', 'dic'],
];

const WORD = '[A-Za-zäÄéûèçñ]{3,10}';

/** Whole names only: without a year beside it, `5 marks` would be a date as well. `May` and short forms need their capital. */
const MONTH =
  '(?:[Jj]anuary|[Ff]ebruary|[Mm]arch|[Aa]pril|May|[Jj]une|[Jj]uly|[Aa]ugust|[Ss]eptember|[Oo]ctober|[Nn]ovember|[Dd]ecember|' +
  'Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|Januar|Jänner|Februar|März|Mai|Juni|Juli|Oktober|Dezember|Okt|Dez|' +
  'janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|' +
  'enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre|' +
  'gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|' +
  'januari|februari|maart|mei|juni|juli|augustus|oktober|' +
  'janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro)';

/** Longer forms first: each match is masked for later forms. */
const forms: readonly { readonly pattern: RegExp; readonly days: (parts: readonly string[]) => readonly string[] }[] = [
  { pattern: /(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/g, days: ([y, m, d]) => dayOf(y, m, d) },
  { pattern: /(?<!\d)((?:19|20)\d{2})(0[1-9]|1[0-2])([0-2]\d|3[01])(?![.,]?\d)/g, days: ([y, m, d]) => dayOf(y, m, d) },
  {
    pattern: /(?<!\d)(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]/g,
    days: ([y, m, d]) => dayOf(y, m, d),
  },
  {
    pattern: /(?<!\d)(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?!\d)/g,
    days: ([a, b, y]) => [...dayOf(y, b, a), ...dayOf(y, a, b)],
  },
  {
    pattern: new RegExp(
      `(?<!\\d)(\\d{1,2})(?:\\.|st|nd|rd|th|er|º)?[\\s/-]+(?:de\\s+)?(${WORD})\\.?,?[\\s/-]+(?:de\\s+)?(\\d{4})(?!\\d)`,
      'g',
    ),
    days: ([d, m, y]) => dayOf(y, monthOf(m), d),
  },
  {
    pattern: new RegExp(`(?<![A-Za-z])(${WORD})\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?,?\\s+(\\d{4})(?!\\d)`, 'g'),
    days: ([m, d, y]) => dayOf(y, monthOf(m), d),
  },
  {
    pattern: /(?<![\d.])(\d{1,2})[-/.](\d{1,2})[-/.](\d{2})(?!\.?\d)/g,
    days: ([a, b, y = '']) => [...dayOf(`20${y}`, b, a), ...dayOf(`20${y}`, a, b)],
  },
  {
    pattern: new RegExp(`(?<![\\d.,])(\\d{1,2})(?:\\.|st|nd|rd|th|er|º)?\\s(?:de\\s|of\\s)?(${MONTH})(?!\\p{L})`, 'gu'),
    days: ([d, m]) => dayOf('', monthOf(m), d),
  },
  {
    pattern: new RegExp(`(?<!\\p{L})(${MONTH})\\.?\\s{1,2}(\\d{1,2})(?:st|nd|rd|th)?(?![\\d.,]*\\d|\\s?%)`, 'gu'),
    days: ([m, d]) => dayOf('', monthOf(m), d),
  },
  {
    pattern: new RegExp(`(?<!\\p{L})(${MONTH})\\.?,?\\s(?:de\\s|of\\s)?(\\d{4})(?!\\d)`, 'gu'),
    days: ([m, y]) => monthDays(y, monthOf(m)),
  },
  { pattern: /(?<![\d-])((?:19|20)\d{2})-(0[1-9]|1[0-2])(?![\d-])/g, days: ([y, m]) => monthDays(y, m) },
  { pattern: /(?<![\d.])(\d{1,2})\.(\d{1,2})\.(?!\d)/g, days: ([d, m]) => dayOf('', m, d) },
];

/** Words before `15.9.` that make it a day, whatever ends behind it. */
const DAY_BEFORE = /(?:^|[^\p{L}])(?:am|vom|zum|bis|ab|seit|den|dem|des|der|vor|nach|dne|od|do|dnia|på)\s\(?$/iu;

/** Where a sentence, a line, a quotation or a part of a list ends. */
const END_BEHIND = /^["'”“»›*_`)\]}$]|^[.…]*(?:$|[,;]|\s*\n|\s+(?:$|[^\p{Ll}\d\s–-]))/u;

/** `15.9.` at the end of a sentence is a day in one language and a figure with a full stop in another. */
function mayBeFigure(text: string, start: number, told: string): boolean {
  if (!/^\d{1,2}\.\d{1,2}\.$/.test(told)) return false;
  const end = start + told.length;
  return !DAY_BEFORE.test(text.slice(Math.max(0, start - 12), start)) && END_BEHIND.test(text.slice(end, end + 12));
}

/** Whether a told day is among these, or the part of a day that is told. */
export function isShownDay(told: string, days: ReadonlySet<string>): boolean {
  if (days.has(told)) return true;
  if (told.startsWith('-')) return [...days].some((it) => it.endsWith(told));
  return told.length === 7 && [...days].some((it) => it.startsWith(told));
}

/** Seconds, or milliseconds, since 1970, of this century. */
const EPOCH = /(?<![\d.])1\d{9}(?:\d{3})?(?!\d)/g;

/** As `date` and many logs print a moment: `Thu Feb  1 08:00:00 UTC 2024`. */
const STAMP = new RegExp(
  `(${MONTH})\\s{1,2}(\\d{1,2})\\s\\d{2}:\\d{2}:\\d{2}(?:\\s[A-Z+-][A-Z\\d:]{1,5})?\\s(\\d{4})(?!\\d)`,
  'g',
);

/** As `ls -l` prints it, behind a size that looks like a day: `12 Apr  2 10:00`. */
const LISTED = new RegExp(`(${MONTH})\\s{1,2}(\\d{1,2})\\s\\d{2}:\\d{2}`, 'g');

/** The comma behind eight digits that may be a day: `20240131,17`. */
const CELL_END = /(?<=(?<!\d)(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])),(?=\d)/g;

/** Of the same length. A person may write a decimal comma there; in what a program printed, a cell of a row ends. */
export function withCellsApart(output: string): string {
  return output.replaceAll(CELL_END, '\t');
}

/** The days that a tool's output tells, in whatever form. */
export function shownDays(text: string): ReadonlySet<string> {
  const epochs = [...text.matchAll(EPOCH)].map(([digits]) => Number(digits.padEnd(13, '0')));
  const stamps = [...text.matchAll(STAMP)].flatMap(([, month, day, year]) => dayOf(year, monthOf(month), day));
  const listed = [...text.matchAll(LISTED)].flatMap(([, month, day]) => dayOf('', monthOf(month), day));
  return new Set([
    ...datesIn(withCellsApart(text)).flatMap((it) => it.days),
    ...stamps,
    ...listed,
    ...epochs.map(utcDate),
  ]);
}

/** Consecutive numbers for consecutive days; undefined where the year is not told. */
export function dayNumber(day: string): number | undefined {
  const [, ...parts] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? [];
  const [year = 0, month = 0, date] = parts.map(Number);
  if (date === undefined) return undefined;
  // A year that begins in March ends with the leap day; from March on, every five months have 153 days.
  const fromMarch = month <= 2 ? year - 1 : year;
  const leapDays = Math.floor(fromMarch / 4) - Math.floor(fromMarch / 100) + Math.floor(fromMarch / 400);
  return 365 * fromMarch + leapDays + Math.floor((153 * ((month + 9) % 12) + 2) / 5) + date;
}

export interface DateReading {
  readonly text: string;
  readonly start: number;
  /** Its possible days; 3/5/2024 is in March or in May. */
  readonly days: readonly string[];
  /** Its full stop may end a sentence: `15.9.` */
  readonly mayBeFigure?: true;
}

/** In the order of the forms. An impossible day is no date. */
export function datesIn(text: string): readonly DateReading[] {
  let left = text;
  return forms.flatMap(({ pattern, days }) => {
    const found = [...left.matchAll(pattern)]
      .map((match) => ({
        text: match[0],
        start: match.index,
        days: days(match.slice(1)),
        ...(mayBeFigure(text, match.index, match[0]) ? { mayBeFigure: true as const } : {}),
      }))
      .filter((it) => it.days.length > 0);
    left = masked(left, found);
    return found;
  });
}

/** The text with some parts blank; every other character keeps its position. The parts are disjoint. */
export function masked(text: string, parts: readonly { readonly text: string; readonly start: number }[]): string {
  let end = 0;
  const pieces = parts
    .toSorted((a, b) => a.start - b.start)
    .flatMap((part) => {
      const kept = text.slice(end, part.start);
      end = part.start + part.text.length;
      return [kept, ' '.repeat(part.text.length)];
    });
  return pieces.join('') + text.slice(end);
}

function monthOf(name: string | undefined): string | undefined {
  const lower = name?.toLowerCase() ?? '';
  // `juin` before `jui`, `mars` and `mai` by their third letter: the longest match decides.
  const fits = months.flatMap((beginnings, at) =>
    beginnings.filter((it) => lower.startsWith(it)).map((it) => ({ it, at })),
  );
  const [best] = fits.toSorted((a, b) => b.it.length - a.it.length);
  return best === undefined ? undefined : String(best.at + 1);
}

function monthDays(year: string | undefined, month: string | undefined): readonly string[] {
  return year === undefined || month === undefined ? [] : [`${year}-${month.padStart(2, '0')}`];
}

function dayOf(year: string | undefined, month: string | undefined, day: string | undefined): readonly string[] {
  if (year === undefined || month === undefined || day === undefined) return [];
  const isDay = Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31;
  return isDay ? [`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`] : [];
}
