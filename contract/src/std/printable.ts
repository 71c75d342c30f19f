/**
 * Makes one visible line of a text. Escapes control and invisible characters, so the text cannot imitate another line, reverse
 * the reading direction, or control a terminal.
 */
export function printable(text: string): string {
  return text.replace(HIDDEN, escaped);
}

/** As `printable`, line by line. */
export function printableLines(text: string): readonly string[] {
  return text.split('\n').map(printable);
}

const HIDDEN = /(?!\t)[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Surrogate}\u2028\u2029]/gu;

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
