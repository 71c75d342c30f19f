/**
 * Numbers as people write them: the possible meanings of `1,234.50`, `1.234,5`, `1 234`, `1'234`, `12,34,567` and `٤٢`.
 *
 * Source: artoo A.15 (every number of a result must occur in some tool output).
 */

/** A number as decimal text without sign, superfluous zeros or separators: equal texts are equal numbers. */
export type Decimal = string;

export interface NumberReading {
  readonly value: Decimal;
  /** Written digits after the decimal point. */
  readonly decimals: number;
}

/** Digits of other scripts, by the code of their zero. */
const zeros = [0x0660, 0x06f0, 0x0966, 0xff10] as const;

/** Separators of other scripts. */
const separators: Readonly<Record<string, string>> = {
  '٫': '.',
  '٬': ',',
  '．': '.',
  '，': ',',
  '％': '%',
  '−': '-',
  '\u2011': '-',
};

/** The same text, character for character, with the digits and separators of other scripts as ASCII. */
export function withAsciiDigits(text: string): string {
  return text.replaceAll(/[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\uff10-\uff19٫٬．，％−\u2011]/g, (character) => {
    const code = character.charCodeAt(0);
    const zero = zeros.find((it) => code >= it && code < it + 10);
    return zero === undefined ? (separators[character] ?? character) : String(code - zero);
  });
}

/** Groups of three after a blank, an apostrophe or an underscore; or digits with points and commas; then an optional power. */
export const NUMBER =
  /\d{1,3}(?:[ \u00a0\u2009\u202f'’_]\d{3})+(?![\d])(?:[.,]\d+)?|\d+(?:[.,]\d+)*(?:[eE][+-]?\d{1,2}(?![\p{L}\d]))?/gu;

/** What a match of `NUMBER` may mean in some language: `1,234` has two readings, a version or an address none. */
export function readingsOf(text: string): readonly NumberReading[] {
  if (/[eE]/.test(text)) return exponential(text);
  const plain = text.replaceAll(/[ \u00a0\u2009\u202f'’_]/g, '');
  const marks = plain.replaceAll(/\d/g, '');
  const parts = plain.split(/[.,]/);
  if (marks.length > 1) return severalMarks(marks, parts);
  const [whole = '', fraction] = parts;
  if (fraction === undefined) return [reading(whole, '')];
  const decimal = reading(whole, fraction);
  return areGroups(parts) ? [reading(whole + fraction, ''), decimal] : [decimal];
}

/** All separators alike: groups. A different last one: the decimal point. */
function severalMarks(marks: string, parts: readonly string[]): readonly NumberReading[] {
  const isUniform = (text: string): boolean => new Set(text).size === 1;
  if (isUniform(marks)) return areGroups(parts) ? [reading(parts.join(''), '')] : [];
  const groups = parts.slice(0, -1);
  return isUniform(marks.slice(0, -1)) && areGroups(groups) ? [reading(groups.join(''), parts.at(-1) ?? '')] : [];
}

/** Thousands, or the twos and the three of India. */
function areGroups(parts: readonly string[]): boolean {
  const [first = '', ...rest] = parts;
  if (first.length > 3 || first.startsWith('0')) return false;
  return rest.every((it, at) => it.length === 3 || (it.length === 2 && at < rest.length - 1));
}

function exponential(text: string): readonly NumberReading[] {
  const value = Number(text.replace(',', '.'));
  return Number.isFinite(value) ? [{ value: decimalOf(value), decimals: 0 }] : [];
}

function reading(whole: string, fraction: string): NumberReading {
  return { value: normalised(whole, fraction), decimals: fraction.length };
}

function normalised(whole: string, fraction: string): Decimal {
  const left = whole.replace(/^0+(?=\d)/, '');
  const right = fraction.replace(/0+$/, '');
  return `${left === '' ? '0' : left}${right === '' ? '' : `.${right}`}`;
}

/** Of a finite, non-negative number. */
function decimalOf(value: number): Decimal {
  const [whole = '0', fraction = ''] = value.toFixed(12).split('.');
  return normalised(whole, fraction);
}

/** The number with its decimal point moved: 2 makes `0.45` into `45`. Exact. */
export function shifted(value: Decimal, places: number): Decimal {
  const [whole = '', fraction = ''] = value.split('.');
  if (places >= 0) {
    const digits = fraction.padEnd(places, '0');
    return normalised(whole + digits.slice(0, places), digits.slice(places));
  }
  const digits = whole.padStart(1 - places, '0');
  return normalised(digits.slice(0, places), digits.slice(places) + fraction);
}

/** Fewest kept digits and fewest zeros of a rounded integer; otherwise years would count as near each other. */
const KEPT_DIGITS_MIN = 2;
const ZEROS_MIN = 2;

/** Digits that a double holds without loss. A longer number is compared exactly, or not at all. */
const EXACT_DIGITS_MAX = 15;

/**
 * What a number with fewer digits may stand for: its last digit behind the point, or, in an integer, its last zeros.
 *
 * @returns  half the unit of its last digit, which is the most that rounding takes away; undefined where it cannot be a
 *           rounded one
 */
export function roundingSlack({ value, decimals }: NumberReading): number | undefined {
  if (value.length > EXACT_DIGITS_MAX) return undefined;
  const zeroCount = decimals === 0 ? (/0*$/.exec(value)?.[0].length ?? 0) : 0;
  const isRound = zeroCount >= ZEROS_MIN && value.length - zeroCount >= KEPT_DIGITS_MIN;
  const unit = isRound ? 10 ** zeroCount : 10 ** -decimals;
  return unit * (0.5 + 1e-9);
}

/** Most that a word like "about" adds on each side, as a share of the number. */
const ABOUT_RATIO = 0.05;

/** Chance at which one of many figures may be near a number that is only told as near. */
const ABOUT_ACCIDENT_MAX = 0.1;

/** Decades among which an invented figure lies, as a natural logarithm. */
const DECADES = Math.log(1000);

/**
 * As `roundingSlack`, for a number that is told as near: half its last digit that is no zero, and never less than rounding takes.
 *
 * @param count  figures that may be meant: among many, one is near to anything
 */
export function aboutSlack(reading: NumberReading, count: number): number {
  const rounding = roundingSlack(reading) ?? 0;
  const value = Number(reading.value);
  const zeros = reading.decimals === 0 ? (/0*$/.exec(reading.value)?.[0].length ?? 0) : 0;
  const unit = zeros > 0 ? 10 ** zeros / 2 : 2 * rounding;
  const widest = (ABOUT_ACCIDENT_MAX * DECADES * value) / (2 * Math.max(1, count));
  return Math.max(rounding, Math.min(unit, ABOUT_RATIO * value, widest));
}
