/** Finds the patterns of `signals.ts` in a text. Linear: each head examines only as many words as its pattern reaches. */
import { ONE_SPACE, type Gap } from './chunks.ts';
import type { Concept } from './concepts.ts';
import { findHits, type Hit, type Hits } from './find-hits.ts';
import { Pace, type Sliced } from './pace.ts';
import { quotedParts } from './quoted-parts.ts';
import { readWords, type Word } from './read-words.ts';
import { boundaries, patternsByHead, type Family, type Pattern } from './signals.ts';
import type { Span } from './spelling-builder.ts';

export interface Signal extends Span {
  readonly rule: string;
  readonly family: Family;
  readonly points: number;
  /** Why it counts less than a command. */
  readonly excuse: Excuse;
  /** One of its words had to be decoded. */
  readonly isDisguised?: true;
}

/**
 * `Told`: its subject is not the reader. `Reported`: in a sentence about attacks, and in quotation marks, after a plural, or with
 * another subject. `Mentioned`: in a sentence that could introduce anything.
 */
export type Excuse = 'None' | 'Told' | 'Reported' | 'Mentioned';

interface Scan {
  readonly words: readonly Word[];
  readonly hits: Hits;
  /** Index of each word's sentence. */
  readonly sentences: readonly number[];
  readonly quotationOf: (span: Span) => Span | undefined;
  readonly abouts: { readonly attacks: Abouts; readonly anything: Abouts };
}

/** For each sentence with such words, the span from the first to the last of them. */
type Abouts = ReadonlyMap<number, Span>;

/** The findings in a text: its signals in the order of their heads, and its words. */
export interface Reading {
  readonly signals: readonly Signal[];
  readonly words: readonly Word[];
}

/** Additional points for a pattern with disguised words. */
const DISGUISE_POINTS = 2;
/** Minimum number of words after which a blank line ends the sentence. With fewer, lines merely break up one sentence. */
const SENTENCE_WORDS_MIN = 3;

export function* readSignals(text: string): Sliced<Reading> {
  const words = yield* readWords(text);
  const [hits, sentences] = [yield* findHits(words), numberSentences(words)];
  yield;
  const read = { words, hits, sentences };
  const abouts = { attacks: yield* findAbouts(read, 'About'), anything: yield* findAbouts(read, 'AboutAnything') };
  const scan: Scan = { ...read, quotationOf: yield* quotedParts(text), abouts };
  const signals = yield* boundarySignals(text);
  const pace = new Pace();
  for (const found of scan.hits) {
    for (const hit of found) {
      signals.push(...(patternsByHead.get(hit.concept) ?? []).flatMap((row) => matchAt(scan, hit, row)));
    }
    if (pace.isFull(1 + found.length)) yield;
  }
  return { signals, words };
}

function* findAbouts(
  { words, hits, sentences }: Pick<Scan, 'words' | 'hits' | 'sentences'>,
  concept: Concept,
): Sliced<Abouts> {
  const abouts = new Map<number, Span>();
  const pace = new Pace();
  for (const found of hits) {
    for (const { first, last } of found.filter((hit) => hit.concept === concept)) {
      const [sentence, end] = [sentences[first] ?? 0, words[last]?.end ?? 0];
      abouts.set(sentence, { start: abouts.get(sentence)?.start ?? words[first]?.start ?? 0, end });
    }
    if (pace.isFull()) yield;
  }
  return abouts;
}

function numberSentences(words: readonly Word[]): readonly number[] {
  let sentence = 0;
  let first = 0;
  return words.map(({ before }, index) => {
    const isNew = before.isSentence || (before.isParagraph && index - first >= SENTENCE_WORDS_MIN);
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
/** An ideograph counts as a third of a word. */
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
    excuse: isDisguised ? 'None' : excuseOf(scan, first, span, row.family),
    ...(isDisguised ? { isDisguised } : {}),
  };
}

function excuseOf(scan: Scan, first: number, span: Span, family: Family): Excuse {
  const isTold = hasOtherSubject(scan.words, first, family);
  const quotation = scan.quotationOf(span);
  if (!isTold && quotation === undefined && !isSaidOfSeveral(scan.words, first)) return 'None';
  const sentence = scan.sentences[quotation === undefined ? first : firstWordOf(scan.words, first, quotation)] ?? 0;
  const isOutside = (about: Span | undefined): boolean =>
    about !== undefined && (quotation === undefined || about.start < quotation.start || about.end > quotation.end);
  if (isOutside(scan.abouts.attacks.get(sentence))) return 'Reported';
  if (isTold) return 'Told';
  return isOutside(scan.abouts.anything.get(sentence)) ? 'Mentioned' : 'None';
}

/** Linear, but short: a quotation has a bounded length. */
function firstWordOf(words: readonly Word[], from: number, { start }: Span): number {
  let first = from;
  while ((words[first - 1]?.start ?? -1) >= start) first -= 1;
  return first;
}

/** Subjects other than the reader. */
const SUBJECTS: ReadonlySet<string> = new Set(
  'i we they he she it who that which people someone somebody anyone user model cannot never'.split(' '),
);
/** After a subject, these belong to it; the subject counts unless it is the reader. */
const MODALS: ReadonlySet<string> = new Set('would could might may'.split(' '));
const READERS: ReadonlySet<string> = new Set(['you', 'u']);
/** Words that end in s without being plurals. */
const NO_SUBJECTS: ReadonlySet<string> = new Set(
  'please always perhaps unless previous besides across process whereas needs'.split(' '),
);
/** Words before *to* that turn a command into a description. */
const BEFORE_TO: ReadonlySet<string> = new Set(
  'how ways way trying tries try attempt attempts order able used wants want'.split(' '),
);
const PLURAL_LETTERS_MIN = 5;

/** Before a noun: *the override*, *our mail gateway*. */
const ARTICLES: ReadonlySet<string> = new Set('the a an our this their its his her'.split(' '));
const VERBAL: ReadonlySet<Family> = new Set(['override', 'reveal', 'exfiltration']);

function isOneSpace(gap: Gap | undefined): boolean {
  return gap === ONE_SPACE;
}

function hasOtherSubject(words: readonly Word[], first: number, family: Family): boolean {
  const before = words[first - 1];
  if (before === undefined || !isOneSpace(words[first]?.before)) return false;
  if (MODALS.has(before.letters)) return hasSubjectBefore(words, first - 1);
  if (before.letters === 'to') return BEFORE_TO.has(words[first - 2]?.letters ?? '');
  return SUBJECTS.has(before.letters) || (VERBAL.has(family) && ARTICLES.has(before.letters));
}

function hasSubjectBefore(words: readonly Word[], modal: number): boolean {
  const subject = words[modal - 1];
  return subject !== undefined && isOneSpace(words[modal]?.before) && !READERS.has(subject.letters);
}

/** Whether the pattern follows a plural, as in *attackers bypass*. The plural may also be a form of address. */
function isSaidOfSeveral(words: readonly Word[], first: number): boolean {
  const before = words[first - 1];
  if (before === undefined || !isOneSpace(words[first]?.before)) return false;
  return (
    before.letters.length >= PLURAL_LETTERS_MIN && /^[a-z]+s$/.test(before.letters) && !NO_SUBJECTS.has(before.letters)
  );
}

function* boundarySignals(text: string): Sliced<Signal[]> {
  const signals: Signal[] = [];
  const pace = new Pace();
  for (const { id, points, sign } of boundaries) {
    for (const found of text.matchAll(sign)) {
      const [start, end] = [found.index, found.index + found[0].length];
      signals.push({ rule: id, family: 'boundary', points, start, end, excuse: 'None' });
      if (pace.isFull()) yield;
    }
    yield;
  }
  return signals;
}
