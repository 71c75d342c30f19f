/** A suggestion further away than this is a guess. */
const DISTANCE_MAX = 3;

/** The candidate nearest to `word` by edit distance, ignoring case; undefined if none is near. */
export function nearestWord(word: string, candidates: readonly string[]): string | undefined {
  const limit = Math.min(DISTANCE_MAX, Math.max(1, Math.floor(word.length / 2)));
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance);
  return ranked[0]?.candidate;
}

/** Levenshtein distance: insertions, deletions and replacements of single characters. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
