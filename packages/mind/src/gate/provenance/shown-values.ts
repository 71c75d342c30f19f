/**
 * Whether a value stands in texts that no stranger wrote: what people ask for in the Task, and records (`records.ts`).
 *
 * I1  A value stands in a text only as a whole: `bob@a.example` does not stand in `bob@a.example.org`.
 */
import { addressesIn } from './addresses.ts';

const WORD = /[\p{L}\p{N}_]/u;

/** Signs that join two parts of one value if a letter or digit stands on both sides. */
const JOINTS: ReadonlySet<string> = new Set('.@/:-+%&=?#~\\');

export function standsIn(value: string, texts: readonly string[]): boolean {
  return texts.some((text) => placesOf(value, text).some((at) => isWhole(text, at, at + value.length)));
}

/** Whether a number stands there, however it is written: `10.00` is 10. */
export function isNumberIn(value: number, texts: readonly string[]): boolean {
  return texts.some((text) =>
    Array.from(text.matchAll(/\d+(?:\.\d+)?/g)).some(
      ({ 0: digits, index }) => Number(digits) === value && isWhole(text, index, index + digits.length),
    ),
  );
}

/** Whether each word of a name stands there, in any order and letter case: a name may be composed. */
export function areWordsIn(name: string, texts: readonly string[]): boolean {
  const known = new Set(texts.flatMap(wordsOf));
  return wordsOf(name).every((word) => known.has(word));
}

/** Whether each address in a text stands there. */
export function areAddressesIn(text: string, texts: readonly string[]): boolean {
  const wanted = addressesIn(text);
  if (wanted.length === 0) return true;
  const known = new Set(texts.flatMap(addressesIn));
  return wanted.every((address) => known.has(address));
}

function placesOf(value: string, text: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(value); at !== -1 && value !== ''; at = text.indexOf(value, at + 1)) places.push(at);
  return places;
}

function isWhole(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 2), start);
  const after = text.slice(end, end + 2);
  return !continues(before.charAt(before.length - 1), before.charAt(before.length - 2)) && !goesOn(after);
}

/** A dot before a capital letter ends a sentence. */
function goesOn(after: string): boolean {
  return !/^\.\p{Lu}/u.test(after) && continues(after.charAt(0), after.charAt(1));
}

function continues(next: string, further: string): boolean {
  return WORD.test(next) || (JOINTS.has(next) && WORD.test(further));
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
