/**
 * Makes a text by others safe for places where lines have a meaning.
 *
 * Every character that any reader treats as the end of a line counts as one: a line feed, a carriage return, and the tabulation,
 * page, line and paragraph breaks of Unicode.
 *
 * Source: reliability-security 4 (what people and judges read must not be forgeable).
 */

const lineBreak = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
const whitespaceRun = /[\s\u0085]+/g;
const unsafeInName = /[^A-Za-z0-9_-]/g;

/** Characters. Names of tools are shorter; a model invented any longer name. */
const NAME_CHARACTERS_MAX = 64;

/** Indents every line by two blanks, so that none can imitate a line of the agent. */
export function indent(text: string): string {
  return text
    .split(lineBreak)
    .map((line) => `  ${line}`)
    .join('\n');
}

/** One line; each run of white space becomes one blank. */
export function oneLine(text: string): string {
  return text.replaceAll(whitespaceRun, ' ').trim();
}

/** A word: letters, digits, `_` and `-` stay, any other character becomes `\uXXXX`; at most 64 characters. */
export function safeName(name: string): string {
  return escaped(name.slice(0, NAME_CHARACTERS_MAX), unsafeInName).slice(0, NAME_CHARACTERS_MAX);
}

/** A JSON string without any line break of Unicode. */
export function quoted(text: string): string {
  return escaped(JSON.stringify(text), /[\u0085\u2028\u2029]/g);
}

function escaped(text: string, unsafe: RegExp): string {
  return text.replaceAll(unsafe, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
