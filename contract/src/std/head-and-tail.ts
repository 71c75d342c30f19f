/** Share that goes to the head; the end of an output says more often how it went. Source: artoo A.5 (⅓ head, ⅔ tail). */
const HEAD_RATIO = 1 / 3;

const leftOutLine = (leftOut: number): string => `[… ${leftOut} characters left out …]`;

/**
 * The head and the tail of a text that is too long, with a line between them.
 *
 * @param limit   characters (UTF-16 code units) of head and tail together
 * @param middle  the line, made from the number of characters left out
 */
export function headAndTail(text: string, limit: number, middle: (leftOut: number) => string = leftOutLine): string {
  if (text.length <= limit) return text;
  const head = text.slice(0, wholeCharacters(text, Math.floor(limit * HEAD_RATIO)));
  const tail = text.slice(wholeCharacters(text, text.length - (limit - head.length)));
  return `${head}\n${middle(text.length - head.length - tail.length)}\n${tail}`;
}

/** Whether something was left out of it with the usual line. A text may say so of itself: then it only looks cut. */
export function isCut(text: string): boolean {
  return /^\[… \d+ characters left out …\]$/m.test(text);
}

/** The same index, or one less where it would cut a surrogate pair in two. */
function wholeCharacters(text: string, index: number): number {
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  const isInsidePair = before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
  return isInsidePair ? index - 1 : index;
}
