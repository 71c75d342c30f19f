/** Texts that every reader of JSON and UTF-8 takes. Pure. */

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** The text with U+FFFD for each half of a character that stands alone; the same text where there is none. */
export function wellFormed(text: string): string {
  return text.replaceAll(LONE_SURROGATE, '\uFFFD');
}

/** White space of ECMAScript and of Python, because servers of models are written in both. */
const WHITE_SPACE_ALONE = /^[\s\u001C-\u001F\u0085]*$/;

/** Whether a text has nothing but white space. A server of a model refuses such a block. Source: Messages API. */
export function isBlank(text: string): boolean {
  return WHITE_SPACE_ALONE.test(text);
}
