/** Finds the place of a text that is most like another text. Cheap: one pass over the lines, and no edit distances. */
import type { LineTable } from './line-table.ts';

/** Share of the pairs of letters that a line must have in common. Below, a suggestion would be a guess. */
const LIKENESS_MIN = 0.5;

/** Weight of what a line holds besides: the old text is often only a part of its line. */
const REST_WEIGHT = 0.1;

/** @returns the offset where the nearest place begins; undefined if nothing is near */
export function nearestPlace(table: LineTable, old: string): number | undefined {
  const lines = old.split('\n');
  const anchor = longestOf(lines);
  const wanted = pairsOf(lines[anchor] ?? '');
  let best: { readonly line: number; readonly likeness: number } | undefined;
  for (let line = 1; line <= table.count; line += 1) {
    const likeness = likenessOf(pairsOf(table.line(line)), wanted);
    if (likeness >= LIKENESS_MIN && likeness > (best?.likeness ?? 0)) best = { line, likeness };
  }
  if (best === undefined) return undefined;
  return startIn(table, Math.max(1, best.line - anchor), lines);
}

/** The line that says most. */
function longestOf(lines: readonly string[]): number {
  return lines.reduce(
    (best, line, index) => (line.trim().length > (lines[best] ?? '').trim().length ? index : best),
    0,
  );
}

function pairsOf(line: string): ReadonlySet<string> {
  const letters = line.trim();
  const pairs = new Set<string>();
  for (let at = 0; at < letters.length; at += 1) pairs.add(letters.slice(at, at + 2));
  return pairs;
}

/** From 0 to 1. */
function likenessOf(pairs: ReadonlySet<string>, wanted: ReadonlySet<string>): number {
  if (wanted.size === 0 || pairs.size === 0) return 0;
  const [fewer, more] = pairs.size < wanted.size ? [pairs, wanted] : [wanted, pairs];
  let common = 0;
  for (const pair of fewer) if (more.has(pair)) common += 1;
  return (1 - REST_WEIGHT) * (common / wanted.size) + REST_WEIGHT * (common / pairs.size);
}

/** The first line of an old text may be the end of its line, or any part of it if it has no other line. */
function startIn(table: LineTable, line: number, [first = '', ...others]: readonly string[]): number {
  const start = table.startOf(line);
  const there = table.line(line);
  if (others.length > 0) return there.endsWith(first) ? start + there.length - first.length : start;
  return start + Math.max(0, there.indexOf(longestPrefixIn(there, first)));
}

function longestPrefixIn(text: string, wanted: string): string {
  let low = 0;
  let high = wanted.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (text.includes(wanted.slice(0, middle))) low = middle;
    else high = middle - 1;
  }
  return wanted.slice(0, low);
}
