/**
 * Someone else's text, put where lines have a meaning.
 *
 * Every character that any reader takes for the end of a line counts as one: a line feed, a carriage return, and the
 * tabulation, page, line and paragraph breaks of Unicode.
 *
 * Source: reliability-security 4 (what people and judges read must not be forgeable).
 */

const lineBreak = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
const whitespaceRun = /[\s\u0085]+/g;
const unsafeInName = /[^A-Za-z0-9_-]/g;

/** Names of tools are shorter; longer ones are a model's invention. Characters. */
const nameCharactersMax = 64;

/** Every line moved in by two blanks, so that none can pose as a line of ours. */
export function indent(text: string): string {
  return text
    .split(lineBreak)
    .map((line) => `  ${line}`)
    .join('\n');
}

/** One line: each run of white space is one blank. */
export function oneLine(text: string): string {
  return text.replaceAll(whitespaceRun, ' ').trim();
}

/** A word: letters, digits, `_` and `-` stay, anything else becomes `\uXXXX`; at most 64 characters. */
export function safeName(name: string): string {
  return escaped(name.slice(0, nameCharactersMax), unsafeInName).slice(0, nameCharactersMax);
}

/** A JSON string without any line break of Unicode. */
export function quoted(text: string): string {
  return escaped(JSON.stringify(text), /[\u0085\u2028\u2029]/g);
}

function escaped(text: string, unsafe: RegExp): string {
  return text.replaceAll(unsafe, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
