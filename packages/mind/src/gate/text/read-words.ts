/**
 * Turns chunks into the words that they mean. Resolves digits and signs used as letters, letters of other alphabets, words cut by
 * invisible characters, fused words, and spaced-out letters.
 *
 * Source: reliability-security 4 (what was missed, and why).
 */
import { cutChunks, type Chunk, type Gap, type Piece } from './chunks.ts';
import { SIGN_READINGS } from './look-alikes.ts';
import { FUSED_LETTERS_MAX, JOINED_PIECES_MAX } from './limits.ts';
import { Pace, type Sliced } from './pace.ts';
import type { Span } from './spelling-builder.ts';
import { latinised, START_LETTERS, vocabulary } from './vocabulary.ts';

export interface Word extends Span {
  readonly letters: string;
  readonly before: Gap;
  /** The word had to be decoded; nobody spells like this by accident. */
  readonly isDisguised: boolean;
}

const NO_GAP: Gap = { isSentence: false, isParagraph: false, width: 0 };
const NOT_PLAIN = /[^a-z]/;
const SIGN = /[0-9@$€£+|!*#%^~]/;
/** A number stands for itself. */
const ONLY_SIGNS = /^[0-9@$€£+|!*#%^~]+$/;
const SIGNS = /[0-9@$€£+|!*#%^~]/g;
/** A fused text has at least two words. */
const FUSED_LETTERS_MIN = 10;
/** At least two of the fused words have this length; shorter words occur in any long word. */
const FUSED_PART_LETTERS_MIN = 5;
/** Minimum number of single letters that spell a word: `i g n o r e`. */
const SPACED_LETTERS_MIN = 5;
/** Maximum number of spaced-out letters read together; no sentence has more. */
const SPACED_LETTERS_MAX = 400;

export function* readWords(text: string): Sliced<readonly Word[]> {
  const words: Word[] = [];
  const pace = new Pace();
  for (const chunk of yield* cutChunks(text)) {
    const [piece] = chunk.pieces;
    if (chunk.pieces.length === 1 && piece !== undefined && isOrdinary(piece.letters)) {
      words.push({
        letters: piece.letters,
        start: piece.start,
        end: piece.end,
        before: chunk.before,
        isDisguised: false,
      });
    } else for (const word of humpsOf(text, chunk) ?? (yield* wordsOf(chunk))) words.push(word);
    if (pace.isFull(piece?.letters.length)) yield;
  }
  return yield* joinSpaced(words);
}

/** Whether the word lists contain it as a whole word. */
function isListed(letters: string): boolean {
  return vocabulary().knownWords.has(letters);
}

/** True for most words: listed, or too short to be several fused words. */
function isOrdinary(letters: string): boolean {
  return isListed(letters) || (letters.length < FUSED_LETTERS_MIN && !NOT_PLAIN.test(letters));
}

const HUMPS = /[A-Z]?[a-z]+/g;
/** Maximum number of words in a name; more are a sentence. */
const NAME_WORDS_MAX = 3;
/** A call, an assignment, or a key. */
const USE_OF_NAME = /["'`]?\s?[(=:]/y;

/**
 * The words of a name such as `repeatPassword`, if all are listed; this spelling is not a disguise. If the text uses the name as
 * programs do, as in `printSystemPrompt()`, it is one word without meaning.
 */
function humpsOf(text: string, { before, pieces }: Chunk): readonly Word[] | undefined {
  const [piece] = pieces;
  if (pieces.length !== 1 || piece === undefined) return undefined;
  const humps = text.slice(piece.start, piece.end).match(HUMPS) ?? [];
  const letters = humps.map((hump) => hump.toLowerCase());
  const isKnown = letters.join('') === piece.letters && letters.every((hump) => isListed(hump));
  if (humps.length === 1 || !isKnown) return undefined;
  USE_OF_NAME.lastIndex = piece.end;
  if (humps.length <= NAME_WORDS_MAX && USE_OF_NAME.test(text)) return [{ ...piece, before, isDisguised: false }];
  let end = piece.start;
  return letters.map((hump, index) => {
    const start = end;
    end += hump.length;
    return { letters: hump, start, end, before: index === 0 ? before : NO_GAP, isDisguised: false };
  });
}

function* wordsOf({ before, pieces }: Chunk): Sliced<readonly Word[]> {
  if (pieces.length === 1 && pieces[0] !== undefined) return readPiece(pieces[0], before, false);
  const counts = yield* joinedCounts(pieces);
  // If no part is listed, it is one word, as a reader sees it.
  if (counts.every((count) => count === undefined)) return readPiece(joined(pieces), before, true);
  const words: Word[] = [];
  const pace = new Pace();
  for (let at = 0; at < pieces.length;) {
    const count = counts[at] ?? 1;
    words.push(...readPiece(joined(pieces.slice(at, at + count)), words.length === 0 ? before : NO_GAP, count > 1));
    at += count;
    if (pace.isFull(count)) yield;
  }
  return words;
}

function* joinedCounts(pieces: readonly Piece[]): Sliced<readonly (number | undefined)[]> {
  const pace = new Pace();
  const readings: (readonly string[])[] = [];
  for (const { letters } of pieces) {
    readings.push(readingsOf(letters));
    if (pace.isFull(letters.length)) yield;
  }
  const counts: (number | undefined)[] = [];
  for (const [at, { letters }] of pieces.entries()) {
    counts.push(joinedCount(pieces, readings, at));
    if (pace.isFull(letters.length)) yield;
  }
  return counts;
}

/** The largest number of pieces from here that form one listed word. */
function joinedCount(
  pieces: readonly Piece[],
  readings: readonly (readonly string[])[],
  from: number,
): number | undefined {
  let letters = '';
  let read = SIGN_READINGS.map(() => '');
  let count: number | undefined;
  for (
    let at = from;
    at < pieces.length && at - from < JOINED_PIECES_MAX && (read[0] ?? '').length < vocabulary().lettersMax;
    at += 1
  ) {
    letters += pieces[at]?.letters ?? '';
    read = read.map((before, reading) => before + (readings[at]?.[reading] ?? ''));
    if (isListed(letters) || isMeant(letters, read)) count = at - from + 1;
  }
  return count;
}

function isMeant(letters: string, read: readonly string[]): boolean {
  return read.some((reading) => isListed(reading)) ? !ONLY_SIGNS.test(letters) : isMasked(letters);
}

function isMasked(letters: string): boolean {
  return (
    SIGN.test(letters) && !ONLY_SIGNS.test(letters) && vocabulary().maskedWords.has(letters.replaceAll(SIGNS, '*'))
  );
}

function readingsOf(letters: string): readonly string[] {
  if (!NOT_PLAIN.test(letters)) return SIGN_READINGS.map(() => letters);
  return SIGN_READINGS.map((signs) => latinised(Array.from(letters, (letter) => signs.get(letter) ?? letter).join('')));
}

function joined(pieces: readonly Piece[]): Piece {
  const [first, last] = [pieces[0], pieces.at(-1)];
  return {
    letters: pieces.map((piece) => piece.letters).join(''),
    start: first?.start ?? 0,
    end: last?.end ?? 0,
  };
}

function readPiece(piece: Piece, before: Gap, wasCut: boolean): readonly Word[] {
  const { letters, start, end } = piece;
  const plain = (word: string, isDisguised: boolean): Word => ({ letters: word, start, end, before, isDisguised });
  if (isListed(letters)) return [plain(letters, wasCut)];
  if (NOT_PLAIN.test(letters)) {
    const word = meant(letters);
    if (word !== undefined) return [plain(word, true)];
    if (SIGN.test(letters)) return splitAtSigns(piece, before);
  }
  const parts = fusedParts(letters);
  if (parts === undefined) return [plain(letters, wasCut)];
  return parts.map((word, index) => ({ ...plain(word, true), before: index === 0 ? before : NO_GAP }));
}

/** The listed word that these letters stand for. */
function meant(letters: string): string | undefined {
  // Each character is read as one letter, and has at most two code units: what is longer stands for no listed word.
  if (letters.length > 2 * vocabulary().lettersMax) return undefined;
  if (!NOT_PLAIN.test(letters) || ONLY_SIGNS.test(letters)) return undefined;
  const known = readingsOf(letters).find((reading) => isListed(reading));
  if (known !== undefined) return known;
  return SIGN.test(letters) ? vocabulary().maskedWords.get(letters.replaceAll(SIGNS, '*')) : undefined;
}

/** `a|b` is two words, `utf8` is one. */
function splitAtSigns({ letters, start, end }: Piece, before: Gap): readonly Word[] {
  const parts = letters.split(/[@$€£+|!*#%^~]+/).filter((part) => part !== '');
  return parts.map((part, index) => ({
    letters: part,
    start,
    end,
    before: index === 0 ? before : NO_GAP,
    isDisguised: false,
  }));
}

/** Listed words that together make up exactly these letters; longest first. */
function fusedParts(letters: string): readonly string[] | undefined {
  if (letters.length < FUSED_LETTERS_MIN || letters.length > FUSED_LETTERS_MAX) return undefined;
  const ways: (readonly string[] | undefined)[] = [[]];
  for (let from = 0; from < letters.length; from += 1) {
    const before = ways[from];
    if (before === undefined) continue;
    for (const size of vocabulary().wordSizes.get(letters.slice(from, from + START_LETTERS)) ?? []) {
      const part = letters.slice(from, from + size);
      if (part.length === size && isListed(part)) ways[from + size] ??= [...before, part];
    }
  }
  const whole = ways[letters.length];
  return whole !== undefined && whole.filter((part) => part.length >= FUSED_PART_LETTERS_MIN).length > 1
    ? whole
    : undefined;
}

/** Replaces single letters, one sign or space apart, with the words that they spell. */
function* joinSpaced(words: readonly Word[]): Sliced<readonly Word[]> {
  if (!words.some((word) => word.letters.length === 1)) return words;
  const result: Word[] = [];
  const pace = new Pace();
  for (let at = 0; at < words.length;) {
    const word = words[at];
    if (pace.isFull()) yield;
    if (word !== undefined && !isAlone(word)) {
      result.push(word);
      at += 1;
      continue;
    }
    const run = spacedRun(words, at);
    const spelt = run.length >= SPACED_LETTERS_MIN ? speltWords(run) : [];
    result.push(...(spelt.length > 0 ? spelt : run));
    at += run.length;
    if (pace.isFull(run.length)) yield;
  }
  return result;
}

/** The run of single letters from here. */
function spacedRun(words: readonly Word[], from: number): readonly Word[] {
  let end = from;
  while (end < words.length && end - from < SPACED_LETTERS_MAX && isAlone(words[end])) end += 1;
  return words.slice(from, end);
}

function isAlone(word: Word | undefined): boolean {
  return (
    word !== undefined &&
    word.letters.length === 1 &&
    /^[\p{L}\p{N}]$/u.test(word.letters) &&
    !IDEOGRAPH.test(word.letters)
  );
}

const IDEOGRAPH = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** The listed words inside the run; empty if they cover fewer than half of the letters. */
function speltWords(run: readonly Word[]): readonly Word[] {
  const letters = run.map((word) => word.letters).join('');
  const found: Word[] = [];
  let used = 0;
  for (let at = 0; at < run.length;) {
    const size = knownSizeAt(letters, at);
    const [first, last] = [run[at], run[at + size - 1]];
    if (size > 0 && first !== undefined && last !== undefined) {
      const word = meant(letters.slice(at, at + size)) ?? letters.slice(at, at + size);
      found.push({ letters: word, start: first.start, end: last.end, before: first.before, isDisguised: true });
      used += size;
    }
    at += Math.max(size, 1);
  }
  return used * 2 >= run.length ? found : [];
}

function knownSizeAt(letters: string, at: number): number {
  for (let size = Math.min(vocabulary().lettersMax, letters.length - at); size > 1; size -= 1) {
    const part = letters.slice(at, at + size);
    if (isListed(meant(part) ?? part)) return size;
  }
  return 0;
}
