/** More would not be read. */
const NAMES_MAX = 3;

/** Levenshtein distance. */
function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1)
      next.push(Math.min(row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1), row[j] + 1, next[j - 1] + 1));
    row = next;
  }
  return row[b.length];
}

/** The names that whoever typed `word` may have meant, the likeliest first: those that hold it before those that look like it. */
export function nearestNames(word, names) {
  const ranked = [...new Set(names)].map((name) => ({ name, holds: name.includes(word), far: distance(word, name) }));
  const sorted = ranked.toSorted((a, b) => Number(b.holds) - Number(a.holds) || a.far - b.far);
  return sorted.slice(0, NAMES_MAX).map(({ name }) => name);
}
