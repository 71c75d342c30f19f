/** A file name or a line as one visible line: control and invisible characters become escapes, so nothing in it can pose as another line. */
export function printable(text: string): string {
  return text.replace(HIDDEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

const HIDDEN = /(?!\t)[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Surrogate}\u2028\u2029]/gu;
