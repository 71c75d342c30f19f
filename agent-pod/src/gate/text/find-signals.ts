/** Looks for the patterns of `signals.ts` in a text. Linear: each head looks at as many words as its pattern reaches. */
import type { Gap } from './chunks.ts';
import type { Concept } from './concepts.ts';
import { findHits, type Hit, type Hits } from './find-hits.ts';
import { quotedParts } from './quoted-parts.ts';
import { readWords, type Word } from './read-words.ts';
import { boundaries, patternsByHead, type Family, type Pattern } from './signals.ts';
import type { Span } from './spelling-builder.ts';

export interface Signal extends Span {
  readonly rule: string;
  readonly family: Family;
  readonly points: number;
  /** In quotation marks, or said of several: whether that is a report hangs on what the text is about. */
  readonly isQuoted: boolean;
  /** Its subject is not the reader: it is told, not commanded. */
  readonly isTold: boolean;
}

interface Scan {
  readonly words: readonly Word[];
  readonly hits: Hits;
  /** Number of the sentence of each word. */
  readonly sentences: readonly number[];
  readonly isQuoted: (span: Span) => boolean;
}

/** What a text holds: signals in the order of their rules' heads, and where it talks about attacks. */
export interface Reading {
  readonly signals: readonly Signal[];
  readonly aboutAt: readonly number[];
  readonly words: readonly Word[];
}

/** Points more for a pattern whose words had to be made out. */
const DISGUISE_POINTS = 2;
/** Words of a paragraph before a blank line ends its sentence: below, the lines only tear a sentence apart. */
const SENTENCE_WORDS_MIN = 3;

export function readSignals(text: string): Reading {
  const words = readWords(text);
  const scan: Scan = { words, hits: findHits(words), sentences: numberSentences(words), isQuoted: quotedParts(text) };
  const signals: Signal[] = boundarySignals(text);
  const aboutAt: number[] = [];
  for (const hits of scan.hits) {
    for (const hit of hits) {
      if (hit.concept === 'About') aboutAt.push(words[hit.first]?.start ?? 0);
      signals.push(...(patternsByHead.get(hit.concept) ?? []).flatMap((row) => matchAt(scan, hit, row)));
    }
  }
  return { signals, aboutAt, words };
}

function numberSentences(words: readonly Word[]): readonly number[] {
  let sentence = 0;
  let first = 0;
  return words.map(({ before }, index) => {
    const isNew = before.isSentence || (before.lines > 1 && index - first >= SENTENCE_WORDS_MIN);
    if (isNew) [sentence, first] = [sentence + 1, index];
    return sentence;
  });
}

function matchAt(scan: Scan, head: Hit, row: Pattern): readonly Signal[] {
  const found: Hit[] = [head];
  for (const wanted of row.near) {
    const hit = nearest(scan, head, row.reach, wanted);
    if (hit === undefined) return [];
    found.push(hit);
  }
  const first = Math.min(...found.map((hit) => hit.first));
  const last = Math.max(...found.map((hit) => hit.last));
  if (row.unlessBefore !== undefined && startsWith(scan, last + 1, row.unlessBefore)) return [];
  return [signalOf(scan, row, first, last)];
}

const IDEOGRAPH = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** An ideograph reaches as far as a third of a word. */
const IDEOGRAPH_WORDS = 1 / 3;

function nearest(scan: Scan, head: Hit, reach: number, wanted: readonly Concept[]): Hit | undefined {
  const step = reach < 0 ? -1 : 1;
  const sentence = scan.sentences[head.first];
  let left = Math.abs(reach);
  for (let at = (step < 0 ? head.first : head.last) + step; left > 0; at += step) {
    const word = scan.words[at];
    if (word === undefined || scan.sentences[at] !== sentence) return undefined;
    left -= IDEOGRAPH.test(word.letters) ? IDEOGRAPH_WORDS : 1;
    const hit = scan.hits[at]?.find((candidate) => wanted.includes(candidate.concept));
    if (hit !== undefined) return hit;
  }
  return undefined;
}

function startsWith({ hits }: Scan, at: number, concept: Concept): boolean {
  return hits[at]?.some((hit) => hit.concept === concept) === true;
}

function signalOf(scan: Scan, row: Pattern, first: number, last: number): Signal {
  const part = scan.words.slice(first, last + 1);
  const span = { start: part[0]?.start ?? 0, end: part.at(-1)?.end ?? 0 };
  const isDisguised = part.some((word) => word.isDisguised);
  return {
    ...span,
    rule: row.id,
    family: row.family,
    points: row.points + (isDisguised ? DISGUISE_POINTS : 0),
    isQuoted: !isDisguised && (scan.isQuoted(span) || isSaidOfSeveral(scan.words, first)),
    isTold: !isDisguised && hasOtherSubject(scan.words, first, row.family),
  };
}

/** Whoever else does it. */
const SUBJECTS: ReadonlySet<string> = new Set(
  'i we they he she it who that which people someone somebody anyone user model cannot never would could might may'.split(
    ' ',
  ),
);
/** End in s and are no plural. */
const NO_SUBJECTS: ReadonlySet<string> = new Set(
  'please always perhaps unless previous besides across process whereas needs'.split(' '),
);
/** Before *to*: then it is told how something is done. */
const BEFORE_TO: ReadonlySet<string> = new Set(
  'how ways way trying tries try attempt attempts order able used wants want'.split(' '),
);
const PLURAL_LETTERS_MIN = 5;

/** Before a noun: *the override*, *our mail gateway*. */
const ARTICLES: ReadonlySet<string> = new Set('the a an our this their its his her'.split(' '));
/** Families whose patterns begin with a verb. */
const VERBAL: ReadonlySet<Family> = new Set(['override', 'reveal', 'exfiltration']);

function isOneSpace(gap: Gap | undefined): boolean {
  return gap?.width === 1 && gap.lines === 0 && !gap.isSentence;
}

function hasOtherSubject(words: readonly Word[], first: number, family: Family): boolean {
  const before = words[first - 1];
  if (before === undefined || !isOneSpace(words[first]?.before)) return false;
  if (before.letters === 'to') return BEFORE_TO.has(words[first - 2]?.letters ?? '');
  return SUBJECTS.has(before.letters) || (VERBAL.has(family) && ARTICLES.has(before.letters));
}

/** Behind a plural, as in *attackers bypass*; or a plural is addressed. */
function isSaidOfSeveral(words: readonly Word[], first: number): boolean {
  const before = words[first - 1];
  if (before === undefined || !isOneSpace(words[first]?.before)) return false;
  return (
    before.letters.length >= PLURAL_LETTERS_MIN && /^[a-z]+s$/.test(before.letters) && !NO_SUBJECTS.has(before.letters)
  );
}

function boundarySignals(text: string): Signal[] {
  return boundaries.flatMap(({ id, points, sign }) =>
    Array.from(text.matchAll(sign), (found) => ({
      rule: id,
      family: 'boundary' as const,
      points,
      start: found.index,
      end: found.index + found[0].length,
      isQuoted: false,
      isTold: false,
    })),
  );
}
