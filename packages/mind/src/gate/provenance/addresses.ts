/** Finds addresses in a text, in the spelling in which they are compared. */

const ADDRESS = /https?:\/\/[^\s<>"'`{}|\\^]+/gi;

/** Punctuation that ends a sentence rather than an address. */
const TRAILING: ReadonlySet<string> = new Set('.,;:!?)]*_');

/** Without fragments, which no server receives. Returns each run of characters both with and without its final punctuation. */
export function addressesIn(text: string): readonly string[] {
  const runs = text.match(ADDRESS) ?? [];
  return [...new Set(runs.flatMap((run) => [run, withoutEnd(run)]).flatMap(oneAddress))];
}

function withoutEnd(run: string): string {
  let end = run.length;
  while (end > 0 && TRAILING.has(run.charAt(end - 1))) end -= 1;
  return run.slice(0, end);
}

/** @returns an empty list if the text is not an address */
export function oneAddress(text: string): readonly string[] {
  if (!URL.canParse(text)) return [];
  const address = new URL(text);
  address.hash = '';
  return [address.href];
}
