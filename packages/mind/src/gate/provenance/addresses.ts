/** Addresses in a text, in the one spelling in which they are compared. */

const ADDRESS = /https?:\/\/[^\s<>"'`{}|\\^]+/gi;

/** What ends a sentence, not an address. */
const TRAILING: ReadonlySet<string> = new Set('.,;:!?)]*_');

/** Without fragments, which no server sees. Both the whole run of characters and the run without a sentence's end. */
export function addressesIn(text: string): readonly string[] {
  const runs = text.match(ADDRESS) ?? [];
  return [...new Set(runs.flatMap((run) => [run, withoutEnd(run)]).flatMap(oneAddress))];
}

function withoutEnd(run: string): string {
  let end = run.length;
  while (end > 0 && TRAILING.has(run.charAt(end - 1))) end -= 1;
  return run.slice(0, end);
}

/** @returns none where the text is no address */
export function oneAddress(text: string): readonly string[] {
  if (!URL.canParse(text)) return [];
  const address = new URL(text);
  address.hash = '';
  return [address.href];
}
