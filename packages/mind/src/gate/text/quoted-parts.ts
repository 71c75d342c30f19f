/** Finds the parts of a text in quotation marks, in code quotes, or in quoted lines of a mail. */
import { Pace, type Sliced } from './pace.ts';
import type { Span } from './spelling-builder.ts';

/** Characters of a quotation. An unpaired mark must not quote the rest of the text. */
const QUOTED_CHARACTERS_MAX = 400;

const CLOSING: Readonly<Record<string, string>> = {
  '"': '"',
  '“': '”',
  '„': '“',
  '«': '»',
  '»': '«',
  '‘': '’',
  '「': '」',
  '『': '』',
  '`': '`',
  "'": "'",
};
const LETTER = /[\p{L}\p{N}]/u;
const ANY_MARK = /["“„«»‘「『`']/g;

/** @returns a function that gives the quotation around a part */
export function* quotedParts(text: string): Sliced<(part: Span) => Span | undefined> {
  const quotations = yield* findQuotations(text);
  return ({ start, end }) => {
    const last = lastBeginning(quotations, start);
    return last !== undefined && last.end >= end ? last : undefined;
  };
}

function* findQuotations(text: string): Sliced<readonly Span[]> {
  const pace = new Pace();
  const quotations: Span[] = [];
  const closingAt = new Map<string, number>();
  let behind = 0;
  for (const { 0: mark, index } of text.matchAll(ANY_MARK)) {
    if (pace.isFull()) yield;
    if (index < behind || (mark === "'" && LETTER.test(text.charAt(index - 1)))) continue;
    const end = endOf(text, index, CLOSING[mark] ?? mark, closingAt);
    if (end === undefined) continue;
    quotations.push({ start: index, end });
    behind = end;
  }
  return quotations;
}

/** @param closingAt  last position found of each closing mark, so that a text without one is searched only once */
function endOf(text: string, start: number, closing: string, closingAt: Map<string, number>): number | undefined {
  let at = closingAt.get(closing) ?? 0;
  if (at <= start + 1) at = nextClosing(text, closing, start + 2);
  closingAt.set(closing, at);
  return at - start <= QUOTED_CHARACTERS_MAX ? at + 1 : undefined;
}

function nextClosing(text: string, closing: string, from: number): number {
  let at = text.indexOf(closing, from);
  while (closing === "'" && at !== -1 && LETTER.test(text.charAt(at + 1))) at = text.indexOf(closing, at + 1);
  return at === -1 ? Number.POSITIVE_INFINITY : at;
}

/** Binary search; the quotations are in order. */
function lastBeginning(quotations: readonly Span[], at: number): Span | undefined {
  let [low, high] = [0, quotations.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((quotations[middle]?.start ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return quotations[low - 1];
}
