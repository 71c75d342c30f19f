/**
 * A text in Unicode form NFKC, with the original position of each character.
 *
 * I1  The form is that of the whole text: several characters that compose to one, such as Korean syllables, are one character
 *     here.
 */
import { Pace, type Sliced } from './pace.ts';
import { SpellingBuilder, type Spelling } from './spelling-builder.ts';

/** The lowest code unit of a joined character. */
const FIRST_JOINED = 0x300;
/** Characters that compose with the one before: marks, Hangul's vowels and last consonants, letters of Kirat Rai. */
const JOINED = /^[\p{M}\u1160-\u11ff\u{16d40}-\u{16d7f}]/u;
/** Compatibility forms, some of which decompose to such a character; checking this takes longer. */
const COMPATIBLE = /^[\u0e33\u0eb3\u3130-\u318f\uff9e-\uffdc]/;
const INVISIBLE = /^[\p{Default_Ignorable_Code_Point}\u2028\u2029]$/u;

/** Whether the character at this position composes with the preceding one. */
export function isJoinedAt(text: string, at: number): boolean {
  if (!(text.charCodeAt(at) >= FIRST_JOINED)) return false;
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return JOINED.test(COMPATIBLE.test(character) ? character.normalize('NFKD') : character);
}

/** @param invisible  the replacement for each invisible character */
export function* normalForm(text: string, invisible: '' | ' '): Sliced<Spelling> {
  const builder = new SpellingBuilder();
  const pace = new Pace();
  for (let start = 0; start < text.length;) {
    const end = endOfCluster(text, start);
    for (const character of text.slice(start, end).normalize('NFKC')) {
      builder.put(INVISIBLE.test(character) ? invisible : character, start, end);
    }
    if (pace.isFull(end - start)) yield;
    start = end;
  }
  return builder.result();
}

function endOfCluster(text: string, start: number): number {
  let end = start + widthAt(text, start);
  while (isJoinedAt(text, end)) end += widthAt(text, end);
  return end;
}

const LAST_OF_ONE_UNIT = 0xffff;

function widthAt(text: string, at: number): 1 | 2 {
  return (text.codePointAt(at) ?? 0) > LAST_OF_ONE_UNIT ? 2 : 1;
}
