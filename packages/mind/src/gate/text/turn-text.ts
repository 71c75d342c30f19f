/** Ways to disguise a text that keep its letters. */

export function reversed(text: string): string {
  return Array.from(text).toReversed().join('');
}

const LETTERS = 26;
const [CAPITAL_A, SMALL_A] = [0x41, 0x61];

/** Every letter of the Latin alphabet so many places on; 13 is its own inverse. */
export function shifted(text: string, places: number): string {
  return text.replaceAll(/[a-z]/gi, (letter) => {
    const code = letter.charCodeAt(0);
    const first = code >= SMALL_A ? SMALL_A : CAPITAL_A;
    return String.fromCharCode(first + ((code - first + places) % LETTERS));
  });
}

/** A number that a shift does not change: of the steps from letter to letter. @returns undefined: not small Latin letters alone */
export function shapeOf(word: string): number | undefined {
  let shape = word.length;
  let before = 0;
  for (let at = 0; at < word.length; at += 1) {
    const place = word.charCodeAt(at) - SMALL_A;
    if (place < 0 || place >= LETTERS) return undefined;
    if (at > 0) shape = Math.imul(shape, SHAPE_FACTOR) + (place < before ? place - before + LETTERS : place - before);
    before = place;
  }
  return shape | 0;
}

/** Odd and larger than any step, so that words with one shape are hardly ever others. */
const SHAPE_FACTOR = 31;

/** How far to shift for the first letter of one word to be that of the other. Both of small letters. */
export function placesBetween(from: string, to: string): number {
  return (to.charCodeAt(0) - from.charCodeAt(0) + LETTERS) % LETTERS;
}
