/** The sentence, the clause and the words around a place of a text. */
import type { Claim } from './claims.ts';
import { contentWords, type Sentence } from './content-words.ts';

export function sentenceAt(sentences: readonly Sentence[], start: number): Sentence {
  return sentences.findLast((it) => it.start <= start) ?? { start: 0, text: '' };
}

/** The words before and after a number: `week 31`, `19 orders`. */
export function besideIn(output: string, { start, text }: Claim): readonly string[] {
  const before = /(\p{L}+)[\s:=*_#-]*$/u.exec(output.slice(0, start))?.[1] ?? '';
  const after = /^[\s%*_-]*(\p{L}+(?:\s\p{L}{3,})?)/u.exec(output.slice(start + text.length))?.[1] ?? '';
  return [...contentWords(`${before} ${after}`)];
}

/** A semicolon separates what is told of different things. */
export function clauseAt({ start, text }: Sentence, place: number): string {
  const from = text.lastIndexOf(';', place - start) + 1;
  const to = text.indexOf(';', place - start);
  return text.slice(from, to < 0 ? undefined : to);
}

/** Between commas, colons, brackets and dashes. */
const PART_ENDS = /,(?!\d)|(?<!\d),|[;:()–—]/gu;

export function partAt(text: string, place: number): string {
  const ends = [...text.matchAll(PART_ENDS)].map((it) => it.index);
  return text.slice(
    (ends.findLast((it) => it < place) ?? -1) + 1,
    ends.find((it) => it >= place),
  );
}
