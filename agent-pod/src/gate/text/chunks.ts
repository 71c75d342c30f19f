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
  /** Line breaks. */
  readonly lines: number;
  /** Spaces and signs, as a spaced-out word has one of them between its letters. */
  readonly width: number;
}

export interface Chunk {
  readonly before: Gap;
  /** More than one where invisible characters cut it. */
  readonly pieces: readonly Piece[];
}

const SENTENCE_ENDS: ReadonlySet<string> = new Set(['.', '!', '?', ';', '。', '！', '？', '；', '।', '؟', '…']);
const APOSTROPHES: ReadonlySet<string> = new Set(["'", '’', 'ʼ', '`', '´']);
/** Written without spaces: every character is a chunk. */
const IDEOGRAPH = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const ASCII_MAX = 0x7f;

/** Nearly every gap is this one. */
const ONE_SPACE: Gap = { isSentence: false, lines: 0, width: 1 };

class Cutter {
  readonly chunks: Chunk[] = [];
  #pieces: Piece[] = [];
  #letters = '';
  #start = 0;
  #end = 0;
  #isSentence = false;
  #lines = 1;
  #width = 0;
  /** A sign that belongs to the word if a letter follows. */
  #pending: string | undefined;

  take(kind: CharacterKind, folded: string, start: number, end: number): void {
    if (kind === 'Letter') this.#letter(folded.toLowerCase(), start, end);
    else if (kind === 'Invisible') this.#endPiece();
    else if (kind === 'Sign' && this.#holdsTogether(folded)) this.#hold(folded, start);
    else this.#gap(kind, folded);
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
      [this.#isSentence, this.#lines, this.#width] = [false, 0, 0];
    }
    this.#pieces = [];
    if (held !== undefined && held !== '') this.#mark(held);
  }

  #before(): Gap {
    const isOneSpace = this.#width === 1 && this.#lines === 0 && !this.#isSentence;
    return isOneSpace ? ONE_SPACE : { isSentence: this.#isSentence, lines: this.#lines, width: this.#width };
  }

  #gap(kind: CharacterKind, folded: string): void {
    this.#endChunk();
    if (kind === 'Line') this.#lines += 1;
    this.#mark(folded);
  }

  #mark(sign: string): void {
    this.#width += 1;
    if (SENTENCE_ENDS.has(sign)) this.#isSentence = true;
  }
}

/** @returns chunks in the order of the text */
export function cutChunks(text: string): readonly Chunk[] {
  const cutter = new Cutter();
  foldText(text, (kind, folded, start, end) => cutter.take(kind, folded, start, end));
  return cutter.finish();
}
