/**
 * The sender's new words, told apart from what others wrote before.
 *
 * I1: a line is the sender's only where no sign says otherwise: it is not marked as a quote, and stands below no line that opens one.
 * I2: where marks contradict each other nothing is anybody's: `isUnclear`.
 *
 * Source: reliability-security 5 (mail from an allowed person is untrusted for forwarding, quotes and attachments); RFC 3676 4.3, 4.5.
 */
import { SORTED_LINES_MAX } from './limits.ts';
import {
  introducesQuote,
  isAttribution,
  isDeviceLine,
  isHeaderBlock,
  isSignatureLine,
  openedBy,
} from './quote-marks.ts';

export interface Line {
  readonly text: string;
  /** Marked as a quote by the markup around it. */
  readonly isQuoted: boolean;
}

export interface Split {
  readonly words: string;
  /** With attributions and signatures. */
  readonly quote: string;
  readonly forward: string;
  readonly isUnclear: boolean;
}

/** Characters of a quoted line that a program may have wrapped: what follows without a mark can be the rest of it. */
const WRAPPED_CHARACTERS = 60;
/** Lines over which an attribution may be wrapped. */
const ATTRIBUTION_LINES = 3;

/** What was collected so far. */
interface Sorting {
  readonly own: string[];
  readonly quote: string[];
  readonly forward: string[];
  /** All lines from here on belong there. */
  below: string[] | undefined;
  isSignature: boolean;
  isUnclear: boolean;
}

/** @param lines  from the top */
export function ownWords(lines: readonly Line[]): Split {
  const sorting: Sorting = { own: [], quote: [], forward: [], below: undefined, isSignature: false, isUnclear: false };
  if (lines.length > SORTED_LINES_MAX) return { words: '', quote: '', forward: '', isUnclear: true };
  const texts = lines.map(({ text }) => text);
  let index = 0;
  while (index < lines.length) {
    const taken = sorting.below === undefined ? sortMarked(lines, texts, { index, sorting }) : 0;
    if (taken === 0) sortLine(lines, index, sorting);
    index += Math.max(1, taken);
  }
  const { own, quote, forward, isUnclear } = sorting;
  return { words: tidy(own), quote: tidy(quote), forward: tidy(forward), isUnclear };
}

/** Lines that say whose they are, or whose all below them is. @returns how many it took; 0: this line says nothing */
function sortMarked(
  lines: readonly Line[],
  texts: readonly string[],
  { index, sorting }: { index: number; sorting: Sorting },
): number {
  if (isQuoted(lines[index])) {
    sorting.quote.push(texts[index] ?? '');
    sorting.isSignature = false;
    return 1;
  }
  const attribution = attributionAt(lines, index);
  if (attribution > 0) {
    sorting.quote.push(...texts.slice(index, index + attribution));
    sorting.isSignature = false;
    if (!isQuoteNext(lines, index + attribution)) sorting.below = sorting.quote;
    return attribution;
  }
  const opened = openedBy(texts[index] ?? '') ?? (isHeaderBlock(texts, index) ? 'Quote' : undefined);
  if (opened !== undefined) sorting.below = opened === 'Forward' ? sorting.forward : sorting.quote;
  return 0;
}

function sortLine(lines: readonly Line[], index: number, sorting: Sorting): void {
  const text = lines[index]?.text ?? '';
  if (sorting.below !== undefined) {
    sorting.below.push(text);
    return;
  }
  sorting.isSignature ||= isSignatureLine(text);
  sorting.isUnclear ||= isRestOfQuote(lines, index);
  const isOthers = sorting.isSignature || (isDeviceLine(text) && isLastOwn(lines, index));
  (isOthers ? sorting.quote : sorting.own).push(text);
}

/** Whether nothing but blank lines stands between this line and a quote, or the end. */
function isLastOwn(lines: readonly Line[], index: number): boolean {
  const next = lines.findIndex(({ text }, at) => at > index && text.trim() !== '');
  return (
    next === -1 ||
    isQuoted(lines[next]) ||
    attributionAt(lines, next) > 0 ||
    openedBy(lines[next]?.text ?? '') !== undefined
  );
}

/** Lines of a plain text. */
export function linesOf(text: string): readonly Line[] {
  return text
    .split('\n')
    .map((line) => ({ text: line.replace(/[\r\t ]+$/, (end) => (line === '-- ' ? end : '')), isQuoted: false }));
}

/** Some programs put the initials of the author before the mark, or a rule. */
const QUOTED = /^\s{0,3}([A-Z]{1,3}|[|]\s*)?>/;

function isQuoted(line: Line | undefined): boolean {
  return line !== undefined && (line.isQuoted || QUOTED.test(line.text));
}

/** How an attribution begins. One that is wrapped must begin so, or the words before it would be lost with it. */
const ATTRIBUTION_BEGINS = /^(on|am|le|el|il|em|op|den|w dniu|dne|в|no|\d|[\p{L} .]{1,60}<)/iu;

/** How many lines an attribution takes that begins here; 0: none begins. */
function attributionAt(lines: readonly Line[], start: number): number {
  const first = lines[start]?.text.trim() ?? '';
  if (first === '') return 0;
  if (introducesQuote(first) && isQuoteNext(lines, start + 1)) return 1;
  for (let count = 1; count <= ATTRIBUTION_LINES; count += 1) {
    const pieces = lines.slice(start, start + count);
    if (pieces.length < count || pieces.some((line) => isQuoted(line) || line.text.trim() === '')) return 0;
    if (!isAttribution(pieces.map(({ text }) => text.trim()).join(' '))) continue;
    return count === 1 || ATTRIBUTION_BEGINS.test(first) ? count : 0;
  }
  return 0;
}

function isQuoteNext(lines: readonly Line[], from: number): boolean {
  const next = lines.slice(from).find(({ text }) => text.trim() !== '');
  return isQuoted(next);
}

/** A line without a mark right after a long marked one, where only marks of the text tell quotes. */
function isRestOfQuote(lines: readonly Line[], index: number): boolean {
  const before = lines[index - 1];
  const here = lines[index];
  if (before === undefined || here === undefined || here.text.trim() === '' || before.isQuoted) return false;
  return isQuoted(before) && before.text.length >= WRAPPED_CHARACTERS;
}

/** Without empty lines at its ends and more than one between; without the rule that a program puts above a quote. */
function tidy(lines: readonly string[]): string {
  return lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .replace(/\n[_\-=*\s]{5,}$/, '')
    .trim();
}
