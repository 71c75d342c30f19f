/**
 * A file name or a line as one visible line. Control and invisible characters become escapes, so no part of it can imitate
 * another line, reverse the reading direction, or drive a terminal.
 */
export function printable(text: string): string {
  return text.replace(HIDDEN, escaped);
}

/** As `printable`, with the lines of the text kept apart. */
export function printableLines(text: string): readonly string[] {
  return text.split('\n').map(printable);
}

const HIDDEN = /(?!\t)[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Surrogate}\u2028\u2029]/gu;

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
