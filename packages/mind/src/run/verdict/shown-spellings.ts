/** What a text shows in whatever spelling: numbers in each of their readings, and names apart from longer ones. Lenient. */
import { durationsIn } from './duration-reading.ts';
import { AFTER_NUMBER_CHARACTERS, scaleIn, type NumberClaim } from './number-claims.ts';
import { NUMBER, readingsOf, shifted, type Decimal, type NumberReading } from './number-reading.ts';

export interface ShownNumbers {
  readonly values: ReadonlySet<Decimal>;
  /** Ascending. */
  readonly sorted: Float64Array;
  /** Those behind a minus sign. */
  readonly negatives: ReadonlySet<Decimal>;
}

/** @param text  with ASCII digits */
export function shownNumbers(text: string): ShownNumbers {
  const values = new Set<Decimal>();
  const negatives = new Set<Decimal>();
  for (const match of text.matchAll(NUMBER)) {
    const end = match.index + match[0].length;
    const scale = scaleIn(text.slice(end, end + AFTER_NUMBER_CHARACTERS));
    // A row of a table may be read as one number: `3,180`.
    const pieces = match[0].split(/[^\d.]/).filter((it) => it !== '');
    const readings = [match[0], ...pieces].flatMap(readingsOf).flatMap(({ value }) => [value, shifted(value, scale)]);
    for (const value of readings) values.add(value);
    if (text[match.index - 1] === '-') for (const value of readings) negatives.add(value);
  }
  for (const { value } of durationsIn(text)) values.add(String(value));
  for (const mode of modesIn(text)) values.add(mode);
  return { values, sorted: Float64Array.from(values, Number).toSorted(), negatives };
}

/** Permissions of files in octal digits: `-rwxr-xr-x` is 755. */
function modesIn(text: string): readonly Decimal[] {
  return [...text.matchAll(/(?<![\w-])[-dlbcps]?((?:[r-][w-][xsStT-]){3})(?![\w-])/g)].map(([, mode = '']) =>
    [0, 3, 6]
      .map((at) => [4, 2, 1].reduce((sum, bit, place) => (/[-ST]/.test(mode[at + place] ?? '-') ? sum : sum + bit), 0))
      .join(''),
  );
}

/**
 * Whether a text shows a number: the same; a percentage that is exactly a ratio, or the reverse; or one that is near enough.
 *
 * @param slackOf  how far a shown number may be from a reading, in the units of its digits; undefined: it has to be equal
 */
export function isNumberShown(
  claim: NumberClaim,
  shown: ShownNumbers,
  slackOf: (reading: NumberReading) => number | undefined,
): boolean {
  if (claim.readings.some((it) => isReadingShown(it, claim, shown, slackOf(it)))) return true;
  // Blanks may separate two numbers as well as digits of one.
  if (claim.pieces.length < 2) return false;
  return claim.pieces.every((piece) => readingsOf(piece).some((it) => shown.values.has(it.value)));
}

function isReadingShown(
  reading: NumberReading,
  { isPercent, isNegative, scale }: NumberClaim,
  { values, sorted, negatives }: ShownNumbers,
  slack: number | undefined,
): boolean {
  const value = shifted(reading.value, scale);
  if (isNegative) return negatives.has(value);
  if (values.has(value)) return true;
  if (isPercent && values.has(shifted(value, -2))) return true;
  const isRatio = !isPercent && scale === 0 && reading.decimals > 0 && Number(value) <= 1;
  if (isRatio && values.has(shifted(value, 2))) return true;
  return slack !== undefined && hasWithin(sorted, Number(value), slack * 10 ** scale);
}

/** Whether one of the ascending numbers is within `slack` of the value. */
function hasWithin(sorted: Float64Array, value: number, slack: number): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value - slack) low = middle + 1;
    else high = middle;
  }
  const next = sorted[low];
  return next !== undefined && next <= value + slack;
}

/** Whether a text occurs in another without a forbidden character directly before or after it. Both in the same case. */
export function holdsApart(text: string, wanted: string, before: RegExp, behind: RegExp): boolean {
  for (let at = text.indexOf(wanted); at >= 0 && wanted !== ''; at = text.indexOf(wanted, at + 1)) {
    if (!before.test(text[at - 1] ?? '') && !behind.test(text[at + wanted.length] ?? '')) return true;
  }
  return false;
}
