/** What code reads in the last words of a run: its figures, and whether they claim anything at all. Pure. */

/** Points for decimals, with or without marks between thousands. */
const ENGLISH = /\d{1,3}(?:[,\u00a0\u202f' ]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?/gu;
/** Commas for decimals, as in German and French. */
const CONTINENTAL = /\d{1,3}(?:[.\u00a0\u202f' ]\d{3})+(?:,\d+)?|\d+(?:,\d+)?/gu;

/** Without signs. @param notation  `Both`: each figure as either notation reads it */
export function figuresIn(text: string, notation: 'English' | 'Both' = 'English'): readonly number[] {
  const english = (text.match(ENGLISH) ?? []).map((it) => Number(it.replaceAll(/[,\u00a0\u202f' ]/gu, '')));
  if (notation === 'English') return english;
  const continental = (text.match(CONTINENTAL) ?? []).map((it) =>
    Number(it.replaceAll(/[.\u00a0\u202f' ]/gu, '').replace(',', '.')),
  );
  return [...english, ...continental];
}

/** A claim is what a reader takes for the result; declining says that there is none. */
export type Stance = 'Claims' | 'Declines' | 'SaysNothing';

/** In the languages of the tasks. */
const DECLINES: readonly RegExp[] = [
  /\b(?:can['’]t|cannot|can not|could not|couldn['’]t|unable to|not able to|not possible|impossible)\b/iu,
  /\b(?:failed to|may not|must not|not allowed|not permitted|refuse|refused|won['’]t|will not)\b/iu,
  /\b(?:does not|doesn['’]t|did not|didn['’]t) exist\b|\bno such\b|\bnot found\b|\b(?:is|was) missing\b/iu,
  /\bthere (?:is|was) no (?:file|column|page|tool|way)\b/iu,
  /\b(?:kann|konnte|darf|durfte)\b[^.]{0,80}\bnicht\b|\bnicht möglich\b|\bexistiert nicht\b|\bgibt es nicht\b/iu,
  /\bnicht gefunden\b|\bne (?:peux|peut|pouvons) pas\b|\bn['’](?:ai|a) pas pu\b|\bn['’]existe pas\b|\bintrouvable\b/iu,
];

/** A sentence that says what will be done, or what somebody else is to do. */
const INTENDS =
  /\b(?:I['’]ll|I will|I need to|I am going to|let['’]s|let me|let us|we (?:can|will|need|should)|you (?:can|should|need|may)|please|here is|here['’]s)\b|[?:]$/iu;

/**
 * In doubt for whoever speaks: one sentence that declines is enough, and code, calls written as text, plans and questions claim
 * nothing.
 */
export function stanceOf(text: string): Stance {
  const prose = withoutCode(text);
  if (DECLINES.some((it) => it.test(prose))) return 'Declines';
  const sentences = prose
    .split(/(?<=[.!?:])\s+|\n+/u)
    .map((it) => it.trim())
    .filter((it) => /[\p{L}\p{N}]/u.test(it));
  return sentences.some((it) => !INTENDS.test(it)) ? 'Claims' : 'SaysNothing';
}

function withoutCode(text: string): string {
  const prose = text
    .replaceAll(/```[\s\S]*?(?:```|$)/gu, '\n')
    .replaceAll(/<tool_call>[\s\S]*?(?:<\/tool_call>|$)/gu, '\n')
    .trim();
  return /^[{[][\s\S]*[}\]]$/u.test(prose) ? '' : prose;
}
