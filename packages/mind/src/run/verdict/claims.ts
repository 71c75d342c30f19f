/**
 * Finds verifiable claims in a text: addresses, paths, identifiers, dates and numbers, each once, with its position.
 *
 * The kinds are read in a fixed order, and each masks its finds for the next: the numbers of a date do not count as numbers.
 *
 * Source: artoo A.15, C.
 */
import { datesIn, masked, withCellsApart } from './date-reading.ts';
import { workRemarkAt } from './number-remarks.ts';
import { versionedIn, wordsOfVersion } from './version-names.ts';
import { KNOWN_NAME } from './remark-words.ts';
import { claimAt, numberClaimsIn, type NumberClaim } from './number-claims.ts';
import { readingsOf, withAsciiDigits } from './number-reading.ts';
import { timesIn, type TimeReading } from './time-reading.ts';

interface Span {
  readonly text: string;
  /** UTF-16 code units from the start. */
  readonly start: number;
}

export type Claim =
  | (Span & { readonly kind: 'Url' | 'Path' })
  /** `about`: present where it is the version of something, which is no result: words of what it is the version of. */
  | (Span & { readonly kind: 'Identifier'; readonly about?: readonly string[] })
  /** `figure`: what it tells if its full stop ends a sentence. */
  | (Span & { readonly kind: 'Date'; readonly days: readonly string[]; readonly figure?: NumberClaim })
  | (Span & Pick<TimeReading, 'minute' | 'seconds'> & { readonly kind: 'Time'; readonly about?: readonly string[] })
  | NumberClaim;

/** Marks a line as the author's conclusion. No tool needs to show it. */
const inferred = /[[(（]\s*inferred\s*[\])）]/i;

/** A number that only counts the entries of a list. */
const listMarker = /^(?:[\s>*+•–-]|#{1,6}\s)*(\d{1,3})(?=[.)]\**\s)/gm;

/** Numbers of headings: `## 1.2 Result`. */
const headingNumber = /(?<=^#{1,6}\s+)\d{1,2}(?:\.\d{1,2})*(?=[ \t]+\S)/gm;

/** A program in the reply says how something is computed, not what came of it. */
const codeBlock =
  /^```(?:python|py|js|javascript|ts|typescript|bash|sh|shell|sql|r|go|rust|java|c|cpp|ruby|php|perl|awk)\n[\s\S]*?^```/gim;

/** Numbers of notes and of parts of a sentence: `[2]`, `2) then`. */
const noteMarker = /\[(\d{1,2})\]|(?<=^|\s|\*)\(?(\d{1,2})\)(?=\s)(?<!\([^)]{2,60}\d\))/gm;

/** Greatest number that marks an entry or a note although none before it does: `42. That is the total.` tells a figure. */
const LONE_MARKER_MAX = 9;

/** Where a reply shows rows; further on in a line the comma may be a decimal one. */
const rowStart = /^\d{8},\d/gm;

/** In the order of the kinds. */
export function claimsIn(text: string): readonly Claim[] {
  const blank = (marker: string): string => marker.replaceAll(/[^\n]/gu, (it) => ' '.repeat(it.length));
  const isName = (token: string, at: number, whole: string): string => {
    const isKnown = /\d/.test(token) && KNOWN_NAME.test(token);
    // `Log4j 2.17` has its version behind it.
    return isKnown && !/^\s\d+\.\d/.test(whole.slice(at + token.length)) ? blank(token) : token;
  };
  const plain = withAsciiDigits(text)
    .replaceAll(rowStart, withCellsApart)
    .replaceAll(codeBlock, blank)
    .replaceAll(headingNumber, blank);
  let left = [listMarker, noteMarker].reduce(withoutMarkers, plain).replaceAll(TOKEN, isName);
  return readers.flatMap((read) => {
    const found = read(left);
    left = masked(left, found);
    return found;
  });
}

/** Markers count up from one; a number that follows none, and is no small one, is told. */
function withoutMarkers(text: string, marker: RegExp): string {
  const numbers = new Set([...text.matchAll(marker)].map(([, one, other]) => Number(one ?? other)));
  return text.replaceAll(marker, (whole: string, one?: string, other?: string) => {
    const number = Number(one ?? other);
    const isMarker = number <= LONE_MARKER_MAX || numbers.has(number - 1);
    return isMarker ? whole.replaceAll(/[^\n]/gu, (it) => ' '.repeat(it.length)) : whole;
  });
}

/** Whether a place of a text is in a line that its author marked as an own conclusion. */
export function isInferredAt(text: string, start: number): boolean {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const to = text.indexOf('\n', start);
  return inferred.test(text.slice(from, to < 0 ? undefined : to));
}

const readers: readonly ((text: string) => readonly Claim[])[] = [
  (text) => spans(text, /https?:\/\/[^\s<>"'`)\]}，。、）」]+/gi, trimmed).map((it) => ({ ...it, kind: 'Url' })),
  (text) => (text.includes('@') ? spans(text, MAILBOX) : []).map((it) => ({ ...it, kind: 'Url' })),
  (text) =>
    spans(text, PATH, trimmed)
      .filter(isPath)
      .map((it) => ({ ...it, kind: 'Path' })),
  (text) => spans(text, FILE).map((it) => ({ ...it, kind: 'Path' })),
  (text) => quoted(text).map((it) => ({ ...it, kind: 'Identifier' })),
  versionsIn,
  (text) =>
    datesIn(text).map(({ mayBeFigure, ...it }) => ({ ...it, kind: 'Date', ...(mayBeFigure && figureOf(text, it)) })),
  (text) =>
    timesIn(text).map((it) => {
      const remark = workRemarkAt(text, it.start);
      return { ...it, kind: 'Time', ...(remark && { about: remark.words }) };
    }),
  (text) =>
    spans(text, TOKEN)
      .filter((it) => isIdentifier(it) && !KNOWN_NAME.test(it.text))
      .map((it) => ({ ...it, kind: 'Identifier', ...(LICENCE.test(it.text) && { about: wordsOfVersion('gpl') }) })),
  numberClaimsIn,
];

const VERSION =
  /(?<![\d.,-])(?:[vV]?\d{1,4}(?:\.\d{1,3}){1,3}|20\d\d-\d\d|\d{2,3}-\d{1,3}|\d{3,5}(?:-\d)?:(?:19|20)\d\d)(?![\d-]|[.,]\d)/g;

/** Behind the name of what they are versions of; those of one number are read with the other numbers. */
function versionsIn(text: string): readonly Claim[] {
  return spans(text, VERSION).flatMap(({ text: told, start }): readonly Claim[] => {
    const end = start + told.length;
    const before = text.slice(Math.max(0, start - NAME_CHARACTERS), start);
    const name = versionedIn(told, before, text.slice(end, end + NAME_CHARACTERS));
    if (name === undefined) return [];
    if (/^\d+\.\d+$/.test(told)) return [claimAt(text, { start, text: told })];
    return [{ kind: 'Identifier', text: told, start, about: wordsOfVersion(name) }];
  });
}

const NAME_CHARACTERS = 40;

const LICENCE = /^(?:[al]?gpl|eupl|mpl)-?v\d(?:\.\d)?(?:-only|-or-later|\+)?$/i;

function figureOf(text: string, { text: told, start }: Span): { readonly figure: NumberClaim } {
  return { figure: claimAt(text, { start, text: told.slice(0, -1) }) };
}

/** Bounded, so that a megabyte without any `@` is read once. */
const MAILBOX = /(?<![\p{L}\p{N}_.+-])[\p{L}\p{N}_.+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu;

const PATH =
  /(?<![\p{L}\p{N}_@+./~-])(?:~|\.{1,2})?\/?(?:[\p{L}\p{N}_@+.-]+\/)+[\p{L}\p{N}_@+.-]*|(?<![\p{L}\p{N}_@+./~<-])\/[\p{L}\p{N}_@+.-]+/gu;

/** Extensions of files that people name without a directory. Others could be words: `Node.js`, `e.g`. */
const FILE =
  /(?<![\p{L}\p{N}_@+.-])[\p{L}\p{N}_@+-][\p{L}\p{N}_@+.-]*\.(?:csv|tsv|txt|md|json|jsonl|ya?ml|xml|html?|pdf|py|ts|sh|go|rs|java|log|sql|png|jpe?g|svg|zip|gz|tar|xlsx?|docx?|pptx?|toml|ini|conf|parquet|db|ipynb|css|dat|bin|bak|cfg|tex|rst|gif|webp|mp[34]|wav|pem|diff|patch|rtf|od[ts]|epub|ndjson|geojson|ics|vcf|eml)(?![\p{L}\p{N}_])/giu;

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

/** Only program-made names; in backquotes whatever is no plain word and no flag. */
function quoted(text: string): readonly Span[] {
  return [...text.matchAll(QUOTED)].flatMap((match) => {
    const inner = match[1] ?? match[2] ?? '';
    const span = { text: inner, start: match.index + 1 };
    const isCode = match[1] !== undefined && !/^\p{L}+$|^-/u.test(inner);
    const isName = /\p{L}/u.test(inner) && (isCode || /[\d_:]|[a-z][A-Z]|\w[.-]\w/.test(inner));
    return isName && !KNOWN_NAME.test(inner) ? [span] : [];
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
