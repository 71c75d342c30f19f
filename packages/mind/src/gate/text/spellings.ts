/**
 * The spellings of a text that operator rules read, so that invisible and look-alike characters do not evade them.
 *
 * I1  The text itself is always among them: a rule that matches it matches.
 * I2  No line is lost: every line feed of the text is one in each spelling.
 * I3  The NFKC forms of the whole text are among them, both with and without accents.
 * I4  A match in a spelling is reported as a span of the text itself.
 *
 * Source: springdrift 2 (normalisation), 17; reliability-security 4.
 * Differs: springdrift reads only one folded text. Rules with digits cannot match in it, and deleted characters fuse words. Here
 * a rule applies if it matches any spelling. The rule decides about case: `(?i)`.
 */
import { foldText, type CharacterKind } from './fold-text.ts';
import { LETTER_LOOK_ALIKES, SIGN_READINGS } from './look-alikes.ts';
import { normalForm } from './normal-forms.ts';
import type { Sliced } from './pace.ts';
import { SpellingBuilder, type Spelling } from './spelling-builder.ts';

/** The replacement of invisible characters, and the letters that signs stand for. */
interface Folding {
  readonly invisible: '' | ' ';
  readonly signs: ReadonlyMap<string, string> | undefined;
}

/** Characters to fold other than look-alike digits: a letter beyond ASCII, a control character, a run of spaces. */
const NOT_PLAIN = /[^\n\u0020-\u007e]| {2}/;
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cs}\u2028\u2029\u2800\ufffd]/u;
const SIGN_IN_WORD = /\p{L}[0-9@$€£+]|[0-9@$€£+]\p{L}/u;
/** Signs with two possible letters each. */
const DOUBTFUL_SIGN_IN_WORD = /\p{L}[1|!]|[1|!]\p{L}/u;

/** @returns the text, then each spelling that differs from all previous ones */
export function* spellingsOf(text: string): Sliced<readonly Spelling[]> {
  const spellings: Spelling[] = [{ text, spanOf: (part) => part }];
  const add = (spelling: Spelling): void => {
    if (spellings.every((known) => known.text !== spelling.text)) spellings.push(spelling);
  };
  for (const invisible of normalFormsFor(text)) add(yield* normalForm(text, invisible));
  for (const folding of foldingsFor(text)) add(yield* spell(text, folding));
  return spellings;
}

/** What replaces invisible characters in each. */
function normalFormsFor(text: string): readonly Folding['invisible'][] {
  if (!NOT_PLAIN.test(text)) return [];
  return INVISIBLE.test(text) ? ['', ' '] : [''];
}

/** Only foldings that could change the text. */
function foldingsFor(text: string): readonly Folding[] {
  const isPlain = !NOT_PLAIN.test(text);
  const readings = DOUBTFUL_SIGN_IN_WORD.test(text) ? SIGN_READINGS : SIGN_READINGS.slice(0, 1);
  if (isPlain && readings.length === 1 && !SIGN_IN_WORD.test(text)) return [];
  const invisibles = INVISIBLE.test(text) ? (['', ' '] as const) : ([''] as const);
  return [...(isPlain ? [] : [undefined]), ...readings].flatMap((signs) =>
    invisibles.map((invisible) => ({ invisible, signs })),
  );
}

/** Holds the characters of a word until its end, because a digit's meaning depends on its neighbours. */
class Speller {
  readonly #folding: Folding;
  readonly #builder = new SpellingBuilder();
  #word: (readonly [folded: string, start: number, end: number])[] = [];
  #isAfterSpace = false;

  constructor(folding: Folding) {
    this.#folding = folding;
  }

  take(kind: CharacterKind, folded: string, start: number, end: number): void {
    if (kind === 'Letter' || kind === 'Sign') this.#hold(folded, start, end);
    else if (kind === 'Line') this.#gap(folded, start, end);
    else if (kind === 'Space' || this.#folding.invisible === ' ') this.#space(start, end);
  }

  /** Splits a run of letters into single letters. */
  #hold(folded: string, start: number, end: number): void {
    this.#isAfterSpace = false;
    if (end - start !== folded.length) this.#word.push([folded, start, end]);
    else {
      let at = start;
      for (const character of folded) this.#word.push([character, at, (at += character.length)]);
    }
  }

  #gap(folded: string, start: number, end: number): void {
    this.#endWord();
    this.#isAfterSpace = false;
    this.#builder.put(folded, start, end);
  }

  /** Reduces a run of spaces to one. */
  #space(start: number, end: number): void {
    if (this.#isAfterSpace) return;
    this.#gap(' ', start, end);
    this.#isAfterSpace = true;
  }

  result(): Spelling {
    this.#endWord();
    return this.#builder.result();
  }

  #endWord(): void {
    const { signs } = this.#folding;
    const hasLetter = signs !== undefined && this.#word.some(([folded]) => IS_LETTER.test(folded));
    for (const [folded, start, end] of this.#word) {
      this.#builder.put(signs === undefined ? folded : lookAlike(folded, hasLetter ? signs : NO_SIGNS), start, end);
    }
    this.#word = [];
  }
}

const NO_SIGNS: ReadonlyMap<string, string> = new Map();
const IS_LETTER = /^\p{L}/u;

function* spell(text: string, folding: Folding): Sliced<Spelling> {
  const speller = new Speller(folding);
  yield* foldText(text, (kind, folded, start, end) => speller.take(kind, folded, start, end));
  return speller.result();
}

function lookAlike(folded: string, signs: ReadonlyMap<string, string>): string {
  return signs.get(folded) ?? LETTER_LOOK_ALIKES.get(folded.toLowerCase()) ?? folded;
}
