/** Replaces each half of a character by U+FFFD, so that the text survives UTF-8 unchanged. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}
