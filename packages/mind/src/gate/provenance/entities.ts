/** Character references of HTML, as a browser reads them before it reads an address. */

/** Those that spell an address or hide one; the others are letters of words. */
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  AMP: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  colon: ':',
  sol: '/',
  bsol: '\\',
  period: '.',
  dot: '.',
  quest: '?',
  equals: '=',
  num: '#',
  percnt: '%',
  commat: '@',
  lowbar: '_',
  hyphen: '-',
  dash: '-',
  lpar: '(',
  rpar: ')',
  lsqb: '[',
  rsqb: ']',
  excl: '!',
  Tab: '\t',
  NewLine: '\n',
};

/** A number needs no semicolon. */
const REFERENCE = /&(?:#[xX](?<hex>[0-9a-fA-F]{1,8});?|#(?<decimal>\d{1,8});?|(?<name>[A-Za-z]{2,8});)/g;

const CODE_POINT_MAX = 0x10_ff_ff;

export interface Decoded {
  readonly text: string;
  /** The place in the original text of a place in the decoded one. */
  readonly placeOf: (at: number) => number;
}

export function decodedEntities(text: string): Decoded {
  const found = text.includes('&') ? Array.from(text.matchAll(REFERENCE)) : [];
  const parts: string[] = [];
  /** Where a decoded character ends: its place in the decoded and in the original text. */
  const ends: (readonly [decoded: number, original: number])[] = [];
  let from = 0;
  let length = 0;
  for (const reference of found) {
    const sign = signOf(reference.groups ?? {});
    if (sign === undefined) continue;
    parts.push(text.slice(from, reference.index), sign);
    length += reference.index - from + sign.length;
    from = reference.index + reference[0].length;
    ends.push([length, from]);
  }
  if (ends.length === 0) return { text, placeOf: (at) => at };
  const placeOf = (at: number): number => {
    const [decoded, original] = ends.findLast(([end]) => end <= at) ?? [0, 0];
    return original + at - decoded;
  };
  return { text: parts.join('') + text.slice(from), placeOf };
}

function signOf({ hex, decimal, name }: Readonly<Record<string, string | undefined>>): string | undefined {
  if (name !== undefined) return Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code > 0 && code <= CODE_POINT_MAX ? String.fromCodePoint(code) : undefined;
}
