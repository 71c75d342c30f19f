/**
 * The spellings of a text that operator rules read, so that invisible and look-alike forms do not slip past them.
 *
 * I1  The text itself is always among them: a rule that matches it matches.
 * I2  No line is lost: every line break of the text is one in each spelling.
 * I3  What matches in a spelling is told as a span of the text itself.
 *
 * Source: springdrift 2.6 (normalisation), 17 D5; reliability-security 4.2.
 * Differs: springdrift reads one folded text only, in which rules with digits cannot match and deleted characters glue
 * words together; here a rule applies when it matches any spelling. Case folding is left to the rule: `(?i)`.
 */
import { foldText, type CharacterKind } from './fold-text.ts';
import { LETTER_LOOK_ALIKES, SIGN_READINGS } from './look-alikes.ts';

/** Part of a text, in UTF-16 units; the end is not in it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Spelling {
  readonly text: string;
  /** Where the part of this spelling stands in the text itself. */
  spanOf(part: Span): Span;
}

/** What invisible characters become, and which letters stand for others. */
interface Folding {
  readonly invisible: '' | ' ';
  readonly signs: ReadonlyMap<string, string> | undefined;
}

/** Nothing to fold but look-alike digits: no letter beyond ASCII, no control character, no run of spaces. */
const PLAIN = /^(?:(?! {2})[\n\u0020-\u007e])*$/;
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]/u;
const SIGN_IN_WORD = /\p{L}[0-9@$€£+]|[0-9@$€£+]\p{L}/u;
/** Signs that stand for two letters each. */
const DOUBTFUL_SIGN_IN_WORD = /\p{L}[1|!]|[1|!]\p{L}/u;

/** @returns the text, then each spelling that differs from all before it */
export function spellingsOf(text: string): readonly Spelling[] {
  const spellings: Spelling[] = [{ text, spanOf: (part) => part }];
  for (const folding of foldingsFor(text)) {
    const spelling = spell(text, folding);
    if (spellings.every((known) => known.text !== spelling.text)) spellings.push(spelling);
  }
  return spellings;
}

/** Only those that could differ. */
function foldingsFor(text: string): readonly Folding[] {
  const isPlain = PLAIN.test(text);
  const readings = DOUBTFUL_SIGN_IN_WORD.test(text) ? SIGN_READINGS : SIGN_READINGS.slice(0, 1);
  if (isPlain && readings.length === 1 && !SIGN_IN_WORD.test(text)) return [];
  const invisibles = INVISIBLE.test(text) ? (['', ' '] as const) : ([''] as const);
  return [...(isPlain ? [] : [undefined]), ...readings].flatMap((signs) =>
    invisibles.map((invisible) => ({ invisible, signs })),
  );
}

/** The characters of one word wait until it ends: whether a digit stands for a letter hangs on its neighbours. */
class Speller {
  readonly #folding: Folding;
  readonly #parts: string[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
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

  /** Of a run of letters each stands for itself. */
  #hold(folded: string, start: number, end: number): void {
    this.#isAfterSpace = false;
    if (end - start !== folded.length) this.#word.push([folded, start, end]);
    else for (let at = 0; at < folded.length; at += 1) this.#word.push([folded.charAt(at), start + at, start + at + 1]);
  }

  #gap(folded: string, start: number, end: number): void {
    this.#endWord();
    this.#isAfterSpace = false;
    this.#put(folded, start, end);
  }

  /** A run of spaces is one. */
  #space(start: number, end: number): void {
    if (this.#isAfterSpace) return;
    this.#gap(' ', start, end);
    this.#isAfterSpace = true;
  }

  result(): Spelling {
    this.#endWord();
    const [starts, ends] = [this.#starts, this.#ends];
    return {
      text: this.#parts.join(''),
      spanOf: (part) => ({ start: starts[part.start] ?? 0, end: ends[Math.max(part.start, part.end - 1)] ?? 0 }),
    };
  }

  #endWord(): void {
    const { signs } = this.#folding;
    const hasLetter = signs !== undefined && this.#word.some(([folded]) => IS_LETTER.test(folded));
    for (const [folded, start, end] of this.#word) {
      this.#put(signs === undefined ? folded : lookAlike(folded, hasLetter ? signs : NO_SIGNS), start, end);
    }
    this.#word = [];
  }

  #put(folded: string, start: number, end: number): void {
    this.#parts.push(folded);
    for (let unit = 0; unit < folded.length; unit += 1) {
      this.#starts.push(start);
      this.#ends.push(end);
    }
  }
}

const NO_SIGNS: ReadonlyMap<string, string> = new Map();
const IS_LETTER = /^\p{L}/u;

function spell(text: string, folding: Folding): Spelling {
  const speller = new Speller(folding);
  foldText(text, (kind, folded, start, end) => speller.take(kind, folded, start, end));
  return speller.result();
}

function lookAlike(folded: string, signs: ReadonlyMap<string, string>): string {
  return signs.get(folded) ?? LETTER_LOOK_ALIKES.get(folded.toLowerCase()) ?? folded;
}
