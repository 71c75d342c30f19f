/**
 * Words of a letter that has two versions of its text. Programs show one of them, and nobody knows which its author saw: only what both
 * say is the author's.
 */
export interface BothSay {
  readonly words: string;
  /** Paragraphs that only one of the two has. */
  readonly onlyOne: string;
  /** They say the same, but for marks and line ends. */
  readonly isSame: boolean;
}

export function bothSay(plain: string, html: string): BothSay {
  const [plainWords, htmlWords] = [tokensOf(plain), tokensOf(html)];
  if (isAlike(plainWords, htmlWords)) return { words: plain, onlyOne: '', isSame: true };
  const common = commonParagraphs(plain, htmlWords);
  const rest = commonParagraphs(html, plainWords);
  return {
    words: common.both,
    onlyOne: [common.onlyHere, rest.onlyHere].filter((it) => it !== '').join('\n'),
    isSame: false,
  };
}

/** Words are compared without marks, links and the numbers of lists. */
function tokensOf(text: string): string {
  const bare = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\b(https?|ftp|mailto|tel|cid):[^\s<>\])]*/g, ' ')
    .replaceAll(/^\s*(\d{1,3}[.)]|[-*•·o])\s+/gm, ' ');
  return bare.replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, ' ').trim();
}

function isAlike(one: string, other: string): boolean {
  return one.replaceAll(' ', '') === other.replaceAll(' ', '');
}

/** By paragraphs: a sentence that lost one of its lines could say the opposite. */
function commonParagraphs(text: string, others: string): { both: string; onlyHere: string } {
  const both: string[] = [];
  const onlyHere: string[] = [];
  const padded = ` ${others} `;
  for (const paragraph of text.split(/\n[ \t]*\n/)) {
    const tokens = tokensOf(paragraph);
    if (tokens === '') continue;
    if (padded.includes(` ${tokens} `)) both.push(paragraph);
    else onlyHere.push(paragraph);
  }
  return { both: both.join('\n\n').trim(), onlyHere: onlyHere.join('\n\n') };
}
