/** The text with each half of a character replaced by U+FFFD, so that it survives UTF-8 unchanged. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}
