/**
 * Which words of others a text holds, for the probes.
 *
 * After a cycle has read what others wrote, they may dictate what it writes, in any words: its text counts as a whole. The agent's own
 * programs that reached no other host, and messages about a file that cannot be read, count only by stretches that stand in the text. Only
 * letters and digits are compared, so spaces, signs and letter case do not matter. No label depends on this (`read-so-far.ts`).
 *
 * Source: springdrift 2 (canaries); reliability-security 4.
 */
import type { ToolFacts } from '../tool-facts.ts';
import type { ReadItem } from './read-item.ts';

/**
 * UTF-8 bytes of letters and digits in a stretch: four short English words, eight Chinese signs. Shorter ones (a path, a name of a
 * column) occur by chance, and hardly hold an order.
 */
const STRETCH_BYTES = 24;

/** Every stretch contains a whole piece of this length that begins at a multiple of it. */
const PIECE_BYTES = STRETCH_BYTES / 2;

/**
 * The words in a tool's result that count only where they stand in a text.
 *
 * @param othersAt  what the outcome says that others wrote
 * @returns undefined: whatever is written after it may be dictated by it
 */
export function quotableWords(
  facts: ToolFacts,
  isOk: boolean,
  text: string,
  othersAt: readonly string[] = [],
): readonly string[] | undefined {
  if (bytesOf(text.slice(0, SHORT_CHARACTERS)).length < STRETCH_BYTES) return [];
  const isOwnProgram = facts.runsCode && !facts.reachesOutside && othersAt.length === 0;
  const isFailure = !isOk && facts.output.isFile === true && facts.writes === 'Nothing';
  return isOwnProgram || isFailure ? [text] : undefined;
}

/** Characters that tell whether a text is too short for a stretch. */
const SHORT_CHARACTERS = 4_000;

/** @returns whether another text shares a stretch with this one */
export function wordsSearch(text: string): (other: string) => boolean {
  const own = bytesOf(text);
  const pieces = new Set<string>();
  for (let at = 0; at + PIECE_BYTES <= own.length; at += 1) pieces.add(own.slice(at, at + PIECE_BYTES));
  return (other) => {
    const bytes = bytesOf(other);
    for (let at = 0; at + PIECE_BYTES <= bytes.length; at += PIECE_BYTES)
      if (pieces.has(bytes.slice(at, at + PIECE_BYTES)) && stretchesAround(bytes, at).some((it) => own.includes(it)))
        return true;
    return false;
  };
}

function stretchesAround(bytes: string, at: number): readonly string[] {
  const starts = Array.from({ length: PIECE_BYTES + 1 }, (_, back) => at - back);
  return starts
    .filter((start) => start >= 0 && start + STRETCH_BYTES <= bytes.length)
    .map((start) => bytes.slice(start, start + STRETCH_BYTES));
}

const encoder = new TextEncoder();

/** A character for each byte of the letters and digits. */
function bytesOf(text: string): string {
  const bytes = encoder.encode(text.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase());
  return Array.from(bytes, (byte) => String.fromCodePoint(byte)).join('');
}

/** @returns the words, each once; empty: none; undefined: all of the text may be words of others */
export function heldWords(text: string, items: readonly ReadItem[]): readonly string[] | undefined {
  const untrusted = items.filter(({ label }) => label.trust === 'Untrusted');
  if (untrusted.length === 0) return [];
  const all = untrusted.flatMap(({ words }): readonly (string | undefined)[] => words ?? [undefined]);
  const known = all.filter((it) => it !== undefined);
  return known.length < all.length ? undefined : [...new Set(known)].filter(wordsSearch(text));
}
