/**
 * Whether a figure is shown in another unit than the one it is told with: twelve miles are not twelve kilometres. Lenient: a number
 * that a text shows without a unit, or with one of another kind, may be told with any.
 *
 * Source: artoo A.15 (Law 0).
 */
import { AFTER_NUMBER_CHARACTERS, type NumberClaim } from './number-claims.ts';
import { NUMBER, readingsOf, roundingSlack, withAsciiDigits } from './number-reading.ts';
import { unitIn, type Unit } from './units.ts';

/** The text around a number, as far as it may hold its unit. */
export interface Around {
  readonly before: string;
  readonly after: string;
}

/** Characters before a number that may hold its currency. */
const BEFORE_NUMBER_CHARACTERS = 8;

export function aroundAt(text: string, start: number, end: number): Around {
  return {
    before: text.slice(Math.max(0, start - BEFORE_NUMBER_CHARACTERS), start),
    after: text.slice(end, end + AFTER_NUMBER_CHARACTERS),
  };
}

interface Told {
  readonly dimension: string;
  /** Equal for units that are the same; several where usage differs. */
  readonly names: readonly string[];
}

const CURRENCIES: readonly (readonly [name: string, mark: string])[] = [
  ['EUR', '€|EUR|euros?'],
  ['USD', '(?:US|A|C)?\\$|USD|dollars?|dólares'],
  ['GBP', '£|GBP'],
  ['CHF', 'CHF|(?:swiss )?francs?|franken|sfr'],
  ['JPY', '¥|JPY|yen'],
];
const currencies = CURRENCIES.map(([name, mark]) => ({
  name,
  after: new RegExp(`^\\s?(?:${mark})(?![\\p{L}])`, 'iu'),
  before: new RegExp(`(?<!\\p{L})(?:${mark})\\s?$`, 'iu'),
}));

/** Sizes as programs print them: `12G`. */
const SIZE = /^([KMGT])(?:i?B)?(?![\p{L}\d])/u;
const SIZES: Readonly<Record<string, string>> = { K: 'kB', M: 'MB', G: 'GB', T: 'TB' };

function toldIn({ before, after }: Around): Told | undefined {
  const currency = currencies.find((it) => it.after.test(after) || it.before.test(before));
  if (currency !== undefined) return { dimension: 'money', names: [currency.name] };
  const size = SIZES[SIZE.exec(after)?.[1] ?? ''];
  const unit = size === undefined ? unitIn(after) : unitIn(` ${size}`);
  return unit === undefined ? undefined : named(unit);
}

function named({ dimension, sizes, zero = 0 }: Unit): Told {
  return { dimension, names: sizes.map((it) => `${it} from ${zero}`) };
}

function isSame(one: Told, other: Told): boolean {
  return one.names.some((it) => other.names.includes(it));
}

/**
 * Heads of columns and names of members. Each as it would stand behind a number; words that also mean something else are not here:
 * `min`, `second`, `mean`.
 */
const HEADS: readonly (readonly [head: RegExp, unit: string])[] = [
  [/(?<![\p{L}\d])(?:km|kilomet(?:er|re)s?)(?![\p{L}/])/iu, ' km'],
  [/(?<![\p{L}\d])(?:miles|(?<=[_([])mi)(?!\p{L})/iu, ' miles'],
  [/(?<![\p{L}\d])(?:feet|(?<=[_([])ft)(?!\p{L})/iu, ' ft'],
  [/(?<![\p{L}\d])(?:met(?:er|re)s|(?<=[_([])m(?=[)\]\s,"']))(?!\p{L})/iu, ' m'],
  [/°C(?!\p{L})|celsius|(?<=temp(?:erature)?_)c(?!\p{L})/iu, '°C'],
  [/°F(?!\p{L})|fahrenheit|(?<=temp(?:erature)?_)f(?!\p{L})/iu, '°F'],
  [/(?<![\p{L}\d])(?:eur|euros?)(?!\p{L})|€/iu, ' EUR'],
  [/(?<![\p{L}\d])(?:usd|dollars?)(?!\p{L})|\$(?=[\s)\]\d])/iu, ' USD'],
  [/(?<![\p{L}\d])gbp(?!\p{L})|£/iu, ' GBP'],
  [/(?<![\p{L}\d])chf(?!\p{L})/iu, ' CHF'],
  [/(?<![\p{L}\d])(?:kb|kilobytes?)(?!\p{L})/iu, ' kB'],
  [/(?<![\p{L}\d])(?:mb|megabytes?)(?!\p{L})/iu, ' MB'],
  [/(?<![\p{L}\d])(?:gb|gigabytes?)(?!\p{L})/iu, ' GB'],
  [/(?<![\p{L}\d])(?:tb|terabytes?)(?!\p{L})/iu, ' TB'],
  [/(?<![\p{L}\d])(?:hours|hrs|stunden|heures|horas|uren)(?!\p{L})/iu, ' hours'],
  [/(?<![\p{L}\d])(?:minutes|minuten|minutos|minuti)(?!\p{L})/iu, ' minutes'],
  [/(?<![\p{L}\d])(?:seconds|sekunden|secondes|segundos|secs)(?!\p{L})/iu, ' seconds'],
  [/(?<![\p{L}\d])(?:milliseconds|(?<=[_([])ms)(?!\p{L})/iu, ' ms'],
  [/(?<![\p{L}\d])(?:days|tage|jours|días|dagen|giorni)(?!\p{L})/iu, ' days'],
  [/(?<![\p{L}\d])(?:kg|kilos?|kilograms?)(?!\p{L})/iu, ' kg'],
  [/(?<![\p{L}\d])(?:lbs?|pounds)(?!\p{L})/iu, ' lbs'],
  [/(?<![\p{L}\d])(?:lit(?:er|re)s)(?!\p{L})/iu, ' litres'],
  [/(?<![\p{L}\d])(?:gallons?|gal)(?!\p{L})/iu, ' gallons'],
  [/(?<![\p{L}\d])(?:km\/h|kmh|kph)(?!\p{L})/iu, ' km/h'],
  [/(?<![\p{L}\d])mph(?!\p{L})/iu, ' mph'],
];

/** All of one dimension that the text has beside its numbers. */
function headsIn(text: string, dimension: string): readonly Told[] {
  return HEADS.flatMap(([head, unit]) => {
    const told = head.test(text) ? toldIn({ before: '', after: unit }) : undefined;
    return told?.dimension === dimension ? [told] : [];
  });
}

/**
 * @param around  of the claim in its own text
 * @param texts   of which one has to show it
 * @returns whether the texts show the number, and each only in another unit of the same kind
 */
export function isShownOtherwise(claim: NumberClaim, around: Around, texts: readonly string[]): boolean {
  const told = toldIn(around);
  if (told === undefined || claim.isPercent) return false;
  const shown = texts.flatMap((text) => occurrencesIn(withAsciiDigits(text), claim, told));
  return shown.length > 0 && !shown.includes('Fits');
}

function occurrencesIn(text: string, claim: NumberClaim, told: Told): readonly ('Fits' | 'Differs')[] {
  const heads = headsIn(text, told.dimension);
  const isOtherHead = heads.length > 0 && !heads.some((it) => isSame(it, told));
  return [...text.matchAll(NUMBER)].flatMap(({ 0: digits, index }) => {
    if (!isNumber(digits, claim)) return [];
    const shown = toldIn(aroundAt(text, index, index + digits.length));
    if (shown === undefined || shown.dimension !== told.dimension) return [isOtherHead ? 'Differs' : 'Fits'];
    return [isSame(shown, told) ? 'Fits' : 'Differs'];
  });
}

function isNumber(digits: string, { readings }: NumberClaim): boolean {
  const values = readingsOf(digits).map((it) => Number(it.value));
  return readings.some((it) => {
    const slack = it.decimals > 0 ? (roundingSlack(it) ?? 0) : 0;
    return values.some((value) => Math.abs(value - Number(it.value)) <= slack);
  });
}
