/**
 * Finds verifiable claims in a text: addresses, paths, identifiers, dates and numbers, each once, with its position.
 *
 * The kinds are read in a fixed order, and each masks its finds for the next: the numbers of a date do not count as numbers.
 *
 * Source: artoo A.15, C.
 */
import { datesIn, masked } from './date-reading.ts';
import { NUMBER, readingsOf, withAsciiDigits, type NumberReading } from './number-reading.ts';

interface Span {
  readonly text: string;
  /** UTF-16 code units from the start. */
  readonly start: number;
}

export type Claim = Span &
  (
    | { readonly kind: 'Url' | 'Path' | 'Identifier' | 'Time' }
    | { readonly kind: 'Date'; readonly days: readonly string[] }
    | {
        readonly kind: 'Number';
        readonly readings: readonly NumberReading[];
        /** Its single groups, when blanks may separate two numbers as well as digits of one. */
        readonly pieces: readonly string[];
        readonly isNegative: boolean;
        readonly isPercent: boolean;
        /** Powers of ten from a word after it: `million` is 6. */
        readonly scale: number;
      }
  );

/** Marks a line as the author's conclusion. No tool needs to show it. */
const inferred = /[[(（]\s*inferred\s*[\])）]/i;

/** A number that only counts the entries of a list. */
const listMarker = /^(\s*(?:#{1,6}\s*)?)(\d{1,3})(?=[.)]\s)/gm;

/** In the order of the kinds. Lines marked as inferred hold no claims. */
export function claimsIn(text: string): readonly Claim[] {
  let left = text
    .split('\n')
    .map((line) => (inferred.test(line) ? ' '.repeat(line.length) : line))
    .join('\n');
  left = withAsciiDigits(left).replaceAll(listMarker, (marker) => ' '.repeat(marker.length));
  return readers.flatMap((read) => {
    const found = read(left);
    left = masked(left, found);
    return found;
  });
}

const readers: readonly ((text: string) => readonly Claim[])[] = [
  (text) => spans(text, /https?:\/\/[^\s<>"'`)\]}，。、）」]+/gi, trimmed).map((it) => ({ ...it, kind: 'Url' })),
  (text) =>
    spans(text, PATH, trimmed)
      .filter(isPath)
      .map((it) => ({ ...it, kind: 'Path' })),
  (text) => spans(text, FILE).map((it) => ({ ...it, kind: 'Path' })),
  (text) => quoted(text).map((it) => ({ ...it, kind: 'Identifier' })),
  (text) => datesIn(text).map((it) => ({ ...it, kind: 'Date' })),
  (text) => spans(text, /(?<![\d:])\d{1,2}:\d{2}(?::\d{2})?(?![\d:])/g).map((it) => ({ ...it, kind: 'Time' })),
  (text) =>
    spans(text, TOKEN)
      .filter(isIdentifier)
      .map((it) => ({ ...it, kind: 'Identifier' })),
  numbers,
];

const PATH =
  /(?<![\p{L}\p{N}_@+./~-])(?:~|\.{1,2})?\/?(?:[\p{L}\p{N}_@+.-]+\/)+[\p{L}\p{N}_@+.-]*|(?<![\p{L}\p{N}_@+./~-])\/[\p{L}\p{N}_@+.-]+/gu;

/** Extensions of files that people name without a directory. Others could be words: `Node.js`, `e.g`. */
const FILE =
  /(?<![\p{L}\p{N}_@+.-])[\p{L}\p{N}_@+-][\p{L}\p{N}_@+.-]*\.(?:csv|tsv|txt|md|json|jsonl|ya?ml|xml|html?|pdf|py|ts|sh|go|rs|java|log|sql|png|jpe?g|svg|zip|gz|tar|xlsx?|docx?|pptx?|toml|ini|conf|parquet|db|ipynb)(?![\p{L}\p{N}_])/giu;

const TOKEN = /(?<![\p{L}\p{N}_-])[A-Za-z\d_]+(?:[-:.][A-Za-z\d_]+)*/gu;

function spans(text: string, pattern: RegExp, change: (text: string) => string = (it) => it): readonly Span[] {
  return [...text.matchAll(pattern)].map((match) => ({ text: change(match[0]), start: match.index }));
}

function trimmed(text: string): string {
  return text.replace(/[.,;:!?…]+$/, '');
}

/** Excludes `and/or`, `km/h` and `24/7`: a path begins at a root, has an extension, or has more than two parts. */
function isPath({ text }: Span): boolean {
  if (!/\p{L}/u.test(text)) return false;
  if (/^(~|\.{0,2})\//.test(text)) return text.length > 2;
  return (
    /\.[A-Za-z][A-Za-z\d]{0,5}$/.test(text) || text.split('/').length > 2 || (text.endsWith('/') && text.length > 2)
  );
}

const QUOTED = /`([^`\s]{2,200})`|["„“”«‹「]([^\s"“”»›」]{2,100})["“”»›」]/gu;

/** In backquotes any word; in other quotation marks only program-made names. */
function quoted(text: string): readonly Span[] {
  return [...text.matchAll(QUOTED)].flatMap((match) => {
    const inner = match[1] ?? match[2] ?? '';
    const span = { text: inner, start: match.index + 1 };
    const isName = /\p{L}/u.test(inner) && (match[1] !== undefined || /[\d_:]|[a-z][A-Z]|\w[.-]\w/.test(inner));
    return isName ? [span] : [];
  });
}

/** Versions, addresses, and names that mix letters with digits; `10GB`, `3-day` and `2nd` are numbers with a word. */
function isIdentifier({ text }: Span): boolean {
  if (/^v?\d+(\.\d+){2,}/.test(text)) return readingsOf(text.replace(/^v/, '')).length === 0;
  if (/^[A-Z]{1,8}([-:]\d+)+$/.test(text)) return true;
  return text
    .split(/[-:.]/)
    .some((part) => part.length >= 5 && /[A-Za-z]/.test(part) && /\d/.test(part) && !isAmount(part));
}

function isAmount(part: string): boolean {
  return /^\d+(e\d+)?[A-Za-z]*$/.test(part) && !/^[\da-f]{7,}$/.test(part);
}

/** Powers of ten by the word or letter after a number. */
const scales: readonly (readonly [pattern: RegExp, powers: number])[] = [
  [/^\s?(thousand|tausend|mille|mil|千)(?!\p{L})|^[kK](?![\p{L}])/iu, 3],
  [/^\s?万/u, 4],
  [/^\s?(millions?|million(en|i)|millón|millones|mio|mln)(?!\p{L})/iu, 6],
  [/^M(?![\p{L}])/u, 6],
  [/^\s?[亿億]/u, 8],
  [/^\s?(billions?|bn|milliarden?|milliards?|mrd|mld)(?!\p{L})/iu, 9],
];

/** Characters after a number that may hold its word. */
export const AFTER_NUMBER_CHARACTERS = 16;

/** @param after  the text after the number */
export function scaleIn(after: string): number {
  return scales.find(([pattern]) => pattern.test(after))?.[1] ?? 0;
}

function numbers(text: string): readonly Claim[] {
  return [...text.matchAll(NUMBER)].flatMap((match) => {
    const [digits] = match;
    const before = text.slice(Math.max(0, match.index - 2), match.index);
    if (/[A-Za-z_]$/.test(before)) return [];
    const after = text.slice(match.index + digits.length, match.index + digits.length + AFTER_NUMBER_CHARACTERS);
    return {
      kind: 'Number',
      text: digits,
      start: match.index,
      readings: readingsOf(digits),
      pieces: digits.split(/[ \u00a0\u2009\u202f]/),
      isNegative: /(^|[\s(=:])-$/.test(before),
      isPercent: /^\s?(%|percent|prozent|por ciento|pour cent|per cento)/i.test(after),
      scale: scaleIn(after),
    } satisfies Claim;
  });
}
