/** Digits that suffice for people to tell commits apart. */
const SHOWN_DIGITS = 12;
/** Of a whole id. */
const DIGITS_MAX = 40;

/** The beginning of an id, as people see and type it. It has a letter: digits alone mean a place in the order of the record. */
export function shownCommit(commit: string): string {
  const letter = commit.slice(0, DIGITS_MAX).search(/[a-f]/);
  return commit.slice(0, letter === -1 ? DIGITS_MAX : Math.max(SHOWN_DIGITS, letter + 1));
}
