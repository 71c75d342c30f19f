/** Cuts a text into chunks: what a person would take for one word, however it is spelt. */
import { foldText, type CharacterKind } from './fold-text.ts';
import { WORD_SIGNS } from './look-alikes.ts';
import type { Span } from './spelling-builder.ts';

/** Letters without anything invisible between them. */
export interface Piece extends Span {
  /** Lower case. */
  readonly letters: string;
}

/** What stands before a chunk. All zero within a word. */
export interface Gap {
  readonly isSentence: boolean;
  /** A blank line, and what follows does not go on in small letters. */
  readonly isParagraph: boolean;
  /** Spaces and signs, as a spaced-out word has one of them between its letters. */
  readonly width: number;
}

export interface Chunk {
  readonly before: Gap;
  /** More than one where invisible characters cut it. */
  readonly pieces: readonly Piece[];
}

/** These also stand inside a sentence that goes on in small letters or figures. */
const STOPS: ReadonlySet<string> = new Set(['.', '…']);
const SENTENCE_ENDS: ReadonlySet<string> = new Set(['!', '?', ';', '。', '！', '？', '；', '।', '؟']);
const APOSTROPHES: ReadonlySet<string> = new Set(["'", '’', 'ʼ', '`', '´']);
/** Written without spaces: every character is a chunk. */
const IDEOGRAPH = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const ASCII_MAX = 0x7f;
const SMALL = /^[\p{Ll}\p{Nd}]/u;
/** Words before a sign that end in a sentence: one alone is torn out of its own. */
const SENTENCE_WORDS_MIN = 2;

/** Nearly every gap is this one. */
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

  /** An apostrophe is left out. */
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
export function cutChunks(text: string): readonly Chunk[] {
  const cutter = new Cutter();
  foldText(text, (kind, folded, start, end) => cutter.take(kind, folded, start, end));
  return cutter.finish();
}
