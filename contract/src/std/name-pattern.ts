/**
 * Names by pattern: `*` stands for any run of characters.
 *
 * I1  Matching takes at most pattern length × sequence length steps for any input. Only the newest star ever moves; this is
 *     enough, because an earlier star that took more could only leave less for the later ones.
 */

/** What the symbols of a pattern mean. */
export interface Alphabet {
  isStar(symbol: string): boolean;
  fits(symbol: string, item: string): boolean;
}

const CHARACTERS: Alphabet = {
  isStar: (symbol) => symbol === '*',
  fits: (symbol, item) => symbol === '?' || symbol === item,
};

/** Whether `pattern` matches all of `name`; `*` matches any run of characters. */
export function matchesName(pattern: string, name: string): boolean {
  return matchSequence(Array.from(pattern), Array.from(name), CHARACTERS);
}

/** Whether `pattern` matches all of `items`; a star matches any number of items. */
export function matchSequence(pattern: readonly string[], items: readonly string[], alphabet: Alphabet): boolean {
  let at = 0;
  let star = -1;
  let starTook = 0;
  for (let item = 0; item < items.length;) {
    const symbol = pattern[at];
    if (symbol !== undefined && alphabet.isStar(symbol)) {
      star = at;
      starTook = item;
      at += 1;
    } else if (symbol !== undefined && alphabet.fits(symbol, items[item] ?? '')) {
      at += 1;
      item += 1;
    } else if (star >= 0) {
      starTook += 1;
      item = starTook;
      at = star + 1;
    } else {
      return false;
    }
  }
  return pattern.slice(at).every((symbol) => alphabet.isStar(symbol));
}
