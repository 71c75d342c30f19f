/** Share of the head; the end of an output more often shows the result. Source: artoo A.5 (⅓ head, ⅔ tail). */
const HEAD_RATIO = 1 / 3;

const leftOutLine = (leftOut: number): string => `[… ${leftOut} characters left out …]`;

/**
 * Cuts a text that is too long to its head and tail, with a line between them.
 *
 * @param limit   characters (UTF-16 code units) of head and tail together
 * @param middle  makes the line from the number of characters left out
 */
export function headAndTail(text: string, limit: number, middle: (leftOut: number) => string = leftOutLine): string {
  if (text.length <= limit) return text;
  const head = text.slice(0, wholeCharacters(text, Math.floor(limit * HEAD_RATIO)));
  const tail = text.slice(wholeCharacters(text, text.length - (limit - head.length)));
  return `${head}\n${middle(text.length - head.length - tail.length)}\n${tail}`;
}

/** Whether the text contains the usual line of a cut. An uncut text may contain it too. */
export function isCut(text: string): boolean {
  return /^\[… \d+ characters left out …\]$/m.test(text);
}

/** The same index, or one less inside of a surrogate pair. */
function wholeCharacters(text: string, index: number): number {
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  const isInsidePair = before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
  return isInsidePair ? index - 1 : index;
}
