/**
 * A text in Unicode form NFKC, with the place of each character in the text itself.
 *
 * I1  The forms are those of the whole text: what is composed of several characters, as syllables of Korean are, is one here.
 */
import { SpellingBuilder, type Spelling } from './spelling-builder.ts';

/** No plainer character begins one of these. */
const FIRST_JOINED = 0x300;
/**
 * Composed with what stands before: marks; vowels and last consonants of Hangul; and the letters of Kirat Rai, which compose
 * without being marks.
 */
const JOINED = /^[\p{M}\u1160-\u11ff\u{16d40}-\u{16d7f}]/u;
/** Compatibility forms, some of which decompose to one of those; looking that up takes longer. */
const COMPATIBLE = /^[\u0e33\u0eb3\u3130-\u318f\uff9e-\uffdc]/;
const INVISIBLE = /^[\p{Default_Ignorable_Code_Point}\u2028\u2029]$/u;

/** Whether the character there is composed with the one before it. */
export function isJoinedAt(text: string, at: number): boolean {
  if (!(text.charCodeAt(at) >= FIRST_JOINED)) return false;
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return JOINED.test(COMPATIBLE.test(character) ? character.normalize('NFKD') : character);
}

/** @param invisible  what each invisible character becomes */
export function normalForm(text: string, invisible: '' | ' '): Spelling {
  const builder = new SpellingBuilder();
  for (let start = 0; start < text.length;) {
    const end = endOfCluster(text, start);
    for (const character of text.slice(start, end).normalize('NFKC')) {
      builder.put(INVISIBLE.test(character) ? invisible : character, start, end);
    }
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
