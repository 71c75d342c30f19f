/** Scripts without blanks between words: each pair of characters replaces a word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** The words of a text in lower case and in order: letters and digits of any script. */
export function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}

export function isUnspaced(word: string): boolean {
  return UNSPACED.test(word);
}

/** Each sequence of so many characters of a word, in order; the word itself if it is shorter. */
export function partsOf(word: string, letters: number): readonly string[] {
  const characters = Array.from(word);
  if (characters.length <= letters) return [word];
  return characters.slice(letters - 1).map((_, at) => characters.slice(at, at + letters).join(''));
}
