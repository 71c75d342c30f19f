/**
 * Cuts a text into the tokens that the statistical layer counts: words and signs, spelt as the rules read them.
 *
 * I1  Linear in the text. Look-alike letters, accents, invisible characters and capitals make no difference.
 */
import { foldText, type CharacterKind } from '../text/fold-text.ts';
import { LETTER_LOOK_ALIKES } from '../text/look-alikes.ts';
import type { Sliced } from '../text/pace.ts';
import type { Span } from '../text/spelling-builder.ts';

export interface Token extends Span {
  /** Lower case; every run of digits is one `0`; a run of one sign is that sign. */
  readonly letters: string;
}

const ASCII_MAX = 0x7f;
const DIGITS = /\p{Nd}+/gu;
/** Scripts without spaces: every character is a word. */
const IDEOGRAPH = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

class Tokeniser {
  readonly tokens: Token[] = [];
  #letters = '';
  #start = 0;
  #end = 0;
  #lastSign = '';

  take(kind: CharacterKind, folded: string, start: number, end: number): void {
    if (kind === 'Letter') this.#letter(folded, start, end);
    else if (kind === 'Sign') this.#sign(folded, start, end);
    else if (kind !== 'Invisible') this.#endWord();
  }

  finish(): readonly Token[] {
    this.#endWord();
    return this.tokens;
  }

  #letter(folded: string, start: number, end: number): void {
    this.#lastSign = '';
    const isAscii = folded.charCodeAt(0) <= ASCII_MAX;
    if (!isAscii && IDEOGRAPH.test(folded)) {
      this.#endWord();
      this.tokens.push({ letters: folded, start, end });
      return;
    }
    if (this.#letters === '') this.#start = start;
    const letters = folded.toLowerCase();
    this.#letters += isAscii ? letters : (LETTER_LOOK_ALIKES.get(letters) ?? letters);
    this.#end = end;
  }

  #sign(sign: string, start: number, end: number): void {
    this.#endWord();
    if (sign !== this.#lastSign) this.tokens.push({ letters: sign, start, end });
    this.#lastSign = sign;
  }

  #endWord(): void {
    if (this.#letters === '') return;
    const letters = this.#letters.replaceAll(DIGITS, '0');
    this.tokens.push({ letters, start: this.#start, end: this.#end });
    this.#letters = '';
  }
}

export function* cutTokens(text: string): Sliced<readonly Token[]> {
  const tokeniser = new Tokeniser();
  yield* foldText(text, (kind, folded, start, end) => tokeniser.take(kind, folded, start, end));
  return tokeniser.finish();
}
