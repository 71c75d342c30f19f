/**
 * Finds unsupported claims in a result: the deterministic part of honesty, for attempts, merged results and reports.
 *
 * A claim is supported when a tool's output or the task's own text contains it, in this or another spelling:
 * separators, superfluous zeros, fewer digits, a date in other words, a percentage that is exactly a ratio. Whether a
 * supported number is used for the right thing is the validators' question.
 *
 * Source: artoo A.15 (Law 0: fabrication audit), C (one checker for all), D.
 */
import { AFTER_NUMBER_CHARACTERS, claimsIn, scaleIn, type Claim } from './claims.ts';
import { datesIn } from './date-reading.ts';
import { NUMBER, readingsOf, roundingSlack, shifted, withAsciiDigits, type Decimal } from './number-reading.ts';

export interface Sources {
  /** Whole outputs of tools: a cut output no longer shows its middle. */
  readonly outputs: readonly string[];
  /** Written files, and targets of successful calls. */
  readonly places: readonly string[];
  /** The task in its own words, and the texts handed on to it. */
  readonly given: readonly string[];
}

export type UnsupportedClaim = Pick<Claim, 'kind' | 'text' | 'start'>;

/** Most reported claims. One is enough to reject; this many are enough to correct. */
export const UNSUPPORTED_MAX = 32;

/** In the order of the text; each once, the first `UNSUPPORTED_MAX`. */
export function unsupportedClaims(output: string, sources: Sources): readonly UnsupportedClaim[] {
  const shown = indexOf([...sources.outputs, ...sources.places, ...sources.given].join('\n'));
  const looked = new Set<string>();
  const unsupported: UnsupportedClaim[] = [];
  for (const claim of claimsIn(output).toSorted((a, b) => a.start - b.start)) {
    if (unsupported.length === UNSUPPORTED_MAX) break;
    const key = keyOf(claim);
    if (looked.has(key)) continue;
    looked.add(key);
    if (shown.claims.has(key) || isSupported(claim, shown)) continue;
    const { kind, start } = claim;
    unsupported.push({ kind, text: output.slice(start, start + claim.text.length), start });
  }
  return unsupported;
}

/** Equal for claims that say the same with the same characters. */
function keyOf(claim: Claim): string {
  if (claim.kind !== 'Number') return claim.text;
  return `${claim.isNegative ? '-' : ''}${claim.text}${claim.isPercent ? '%' : ''}·${claim.scale}`;
}

/** The sources of a subtask's output: its calls with a result, and its given texts. */
export function sourcesOf(
  calls: readonly {
    readonly status: string;
    readonly output: string;
    readonly target?: string;
    readonly files: readonly { readonly path: string }[];
  }[],
  given: readonly string[],
): Sources {
  const isOk = (it: { readonly status: string }): boolean => it.status === 'Ok';
  return {
    outputs: calls.filter((it) => it.status !== 'Unrun').map((it) => it.output),
    places: calls.filter(isOk).flatMap((it) => [it.target ?? '', ...it.files.map(({ path }) => path)]),
    given,
  };
}

interface Shown {
  /** In lower case. */
  readonly text: string;
  /** Its own claims, word for word: these need no search. */
  readonly claims: ReadonlySet<string>;
  readonly days: ReadonlySet<string>;
  readonly numbers: ReadonlySet<Decimal>;
  readonly sorted: Float64Array;
  readonly negatives: ReadonlySet<Decimal>;
}

/** Lenient where the claims are strict: every possible reading counts. */
function indexOf(source: string): Shown {
  const text = withAsciiDigits(source);
  const values = new Set<Decimal>();
  const negatives = new Set<Decimal>();
  for (const match of text.matchAll(NUMBER)) {
    const end = match.index + match[0].length;
    const scale = scaleIn(text.slice(end, end + AFTER_NUMBER_CHARACTERS));
    const pieces = match[0].split(/[^\d]/).filter((it) => it !== '');
    const readings = [match[0], ...pieces].flatMap(readingsOf).map((it) => it.value);
    for (const value of readings) values.add(value);
    if (scale > 0) for (const value of readings) values.add(shifted(value, scale));
    if (text[match.index - 1] === '-') for (const value of readings) negatives.add(value);
  }
  return {
    text: text.toLowerCase(),
    claims: new Set(claimsIn(source).map(keyOf)),
    days: new Set(datesIn(text).flatMap((it) => it.days)),
    numbers: values,
    sorted: Float64Array.from(values, Number).toSorted(),
    negatives,
  };
}

function isSupported(claim: Claim, shown: Shown): boolean {
  switch (claim.kind) {
    case 'Url':
      return holds(shown, claim.text.replace(/\/$/, ''), /[\p{L}\p{N}_.-]/u, /[\p{L}\p{N}_%=&-]/u);
    case 'Path':
      return holds(
        shown,
        claim.text.replace(/^\/workspace\/|^\.\//, '').replace(/\/$/, ''),
        /[\p{L}\p{N}_@+-]/u,
        /[\p{L}\p{N}_@+-]/u,
      );
    case 'Identifier':
      return holds(shown, claim.text.replace(/^v(?=\d)/, ''), /[\p{Script=Latin}\p{N}_]/u, /[\p{Script=Latin}\p{N}_]/u);
    case 'Time':
      return holds(shown, claim.text.replace(/^0/, ''), /[1-9]/, /\d/) || holds(shown, claim.text, /\d/, /\d/);
    case 'Date':
      return claim.days.some((day) => shown.days.has(day));
    case 'Number':
      return isNumberSupported(claim, shown);
  }
}

type NumberClaim = Extract<Claim, { kind: 'Number' }>;

function isNumberSupported(claim: NumberClaim, shown: Shown): boolean {
  if (claim.readings.some((it) => isShown(it, claim, shown))) return true;
  if (claim.pieces.length < 2) return false;
  return claim.pieces.every((piece) => readingsOf(piece).some((it) => shown.numbers.has(it.value)));
}

/** Read from the top: the same number; a percentage that is exactly a ratio, or the reverse; the number with fewer digits. */
function isShown(
  reading: NumberClaim['readings'][number],
  { isPercent, isNegative, scale }: NumberClaim,
  shown: Shown,
): boolean {
  const value = shifted(reading.value, scale);
  if (isNegative) return shown.negatives.has(value);
  if (shown.numbers.has(value)) return true;
  if (isPercent && shown.numbers.has(shifted(value, -2))) return true;
  const isRatio = !isPercent && scale === 0 && reading.decimals > 0 && Number(value) <= 1;
  if (isRatio && shown.numbers.has(shifted(value, 2))) return true;
  const slack = roundingSlack(reading);
  return slack !== undefined && hasWithin(shown.sorted, Number(value), slack * 10 ** scale);
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

/** Whether a text occurs in another without a forbidden character directly before or after it. */
function holds({ text }: Shown, wanted: string, before: RegExp, behind: RegExp): boolean {
  const needle = wanted.toLowerCase();
  for (let at = text.indexOf(needle); at >= 0 && needle !== ''; at = text.indexOf(needle, at + 1)) {
    const isApart = !before.test(text[at - 1] ?? '') && !behind.test(text[at + needle.length] ?? '');
    if (isApart) return true;
  }
  return false;
}
