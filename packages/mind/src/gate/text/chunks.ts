/** Cuts a text into chunks. A chunk is what a person would read as one word, in any spelling. */
import { foldText, type CharacterKind } from './fold-text.ts';
import { WORD_SIGNS } from './look-alikes.ts';
import type { Sliced } from './pace.ts';
import type { Span } from './spelling-builder.ts';

/** Letters without invisible characters between them. */
export interface Piece extends Span {
  /** Lower case. */
  readonly letters: string;
}

/** The gap before a chunk. All members are zero within a word. */
export interface Gap {
  readonly isSentence: boolean;
  /** A blank line, unless the next word begins with a small letter or a digit. */
  readonly isParagraph: boolean;
  /** Number of spaces and signs; a spaced-out word has one between its letters. */
  readonly width: number;
}

export interface Chunk {
  readonly before: Gap;
  /** More than one if invisible characters cut the word. */
  readonly pieces: readonly Piece[];
}

/** These also occur inside a sentence, before small letters or digits. */
const STOPS: ReadonlySet<string> = new Set(['.', '…']);
const SENTENCE_ENDS: ReadonlySet<string> = new Set(['!', '?', ';', '。', '！', '？', '；', '।', '؟']);
const APOSTROPHES: ReadonlySet<string> = new Set(["'", '’', 'ʼ', '`', '´']);
/** Scripts without spaces: every character is a chunk. */
const IDEOGRAPH = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const ASCII_MAX = 0x7f;
const SMALL = /^[\p{Ll}\p{Nd}]/u;
/** Minimum number of words before a sign that ends a sentence. A single word was torn from its own sentence. */
const SENTENCE_WORDS_MIN = 2;

/** The most frequent gap. */
export const ONE_SPACE: Gap = { isSentence: false, isParagraph: false, width: 1 };

class Cutter {
  readonly chunks: Chunk[] = [];
  #pieces: Piece[] = [];
  #letters = '';
  #start = 0;
  #end = 0;
  #isSmall = false;
  #wordsSinceSign = 0;
  #hasStop = false;
  #hasEnd = false;
  #hasSign = false;
  #lines = 1;
  #width = 0;
  /** A sign that belongs to the word if a letter follows. */
  #pending: string | undefined;

  take(kind: CharacterKind, folded: string, start: number, end: number): void {
    if (kind === 'Letter') {
      if (this.#isBetween()) this.#isSmall = SMALL.test(folded);
      this.#letter(folded.toLowerCase(), start, end);
    } else if (kind === 'Invisible') this.#endPiece();
    else if (kind === 'Sign' && this.#holdsTogether(folded)) this.#hold(folded, start);
    else this.#gap(kind, folded);
  }

  #isBetween(): boolean {
    return this.#letters === '' && this.#pieces.length === 0;
  }

  finish(): readonly Chunk[] {
    this.#endChunk();
    return this.chunks;
  }

  #letter(letter: string, start: number, end: number): void {
    if (letter.charCodeAt(0) > ASCII_MAX && IDEOGRAPH.test(letter)) {
      this.#endChunk();
      this.#add(letter, start, end);
      this.#endChunk();
      return;
    }
    if (this.#pending !== undefined) {
      this.#letters += this.#pending;
      this.#pending = undefined;
    }
    this.#add(letter, start, end);
  }

  #add(letters: string, start: number, end: number): void {
    if (this.#letters === '') this.#start = start;
    this.#letters += letters;
    this.#end = end;
  }

  #holdsTogether(sign: string): boolean {
    if (this.#pending !== undefined) return false;
    if (APOSTROPHES.has(sign)) return this.#letters !== '';
    return WORD_SIGNS.has(sign) && (this.#letters !== '' || sign === '@' || sign === '$');
  }

  /** Omits an apostrophe. */
  #hold(sign: string, start: number): void {
    this.#pending = APOSTROPHES.has(sign) ? '' : sign;
    if (this.#letters === '') this.#start = start;
  }

  #endPiece(): void {
    this.#pending = undefined;
    if (this.#letters !== '') this.#pieces.push({ letters: this.#letters, start: this.#start, end: this.#end });
    this.#letters = '';
  }

  #endChunk(): void {
    const held = this.#pending;
    this.#endPiece();
    if (this.#pieces.length > 0) {
      this.chunks.push({
        before: this.#before(),
        pieces: this.#pieces,
      });
      this.#wordsSinceSign = this.#hasStop || this.#hasEnd ? 1 : this.#wordsSinceSign + 1;
      [this.#hasStop, this.#hasEnd, this.#hasSign] = [false, false, false];
      [this.#lines, this.#width] = [0, 0];
    }
    this.#pieces = [];
    if (held !== undefined && held !== '') this.#mark(held);
  }

  #before(): Gap {
    if (this.#width === 1 && this.#lines === 0 && !this.#hasSign) return ONE_SPACE;
    const isParagraph = this.#lines > 1 && !this.#isSmall;
    return { isSentence: this.#isSentence(), isParagraph, width: this.#width };
  }

  #isSentence(): boolean {
    if (this.#wordsSinceSign < SENTENCE_WORDS_MIN) return false;
    return this.#hasEnd || (this.#hasStop && !(this.#isSmall && this.#lines === 0));
  }

  #gap(kind: CharacterKind, folded: string): void {
    this.#endChunk();
    if (kind === 'Line') this.#lines += 1;
    this.#mark(folded);
  }

  #mark(sign: string): void {
    this.#width += 1;
    if (sign !== ' ') this.#hasSign = true;
    if (STOPS.has(sign)) this.#hasStop = true;
    else if (SENTENCE_ENDS.has(sign)) this.#hasEnd = true;
  }
}

/** @returns chunks in the order of the text */
export function* cutChunks(text: string): Sliced<readonly Chunk[]> {
  const cutter = new Cutter();
  yield* foldText(text, (kind, folded, start, end) => cutter.take(kind, folded, start, end));
  return cutter.finish();
}
