/** Letters that are spelled in characters which show nothing: Unicode has an invisible twin of each ASCII character. */

const TAG_LETTERS = /[\u{E0020}-\u{E007E}]{2,}/gu;
/** What makes a tag of an ASCII character. */
const TAG_OFFSET = 0xe0000;

/** What a text says in invisible letters; empty where it says nothing. */
export function smuggledIn(text: string): string {
  const runs = text.match(TAG_LETTERS) ?? [];
  return runs
    .map((run) =>
      Array.from(run, (character) => String.fromCodePoint((character.codePointAt(0) ?? 0) - TAG_OFFSET)).join(''),
    )
    .join('\n');
}
