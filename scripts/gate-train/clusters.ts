/** Groups texts that a reader would call the same: they share runs of words. Sets copy from each other, and templates repeat. */

/** Words side by side that two texts are compared by. */
const SHINGLE_WORDS = 4;
/** Words that are compared: the rest of a long text adds nothing. */
const WORDS_MAX = 300;
/** Share of the shorter text's runs from which two texts are near-duplicates. */
const NEAR_DUPLICATE = 0.3;
/** A run in more texts than this is a phrase of the language, or of a template that all share. */
const COMMON_RUN_TEXTS = 200;

/** @returns for each text the index of the first text of its cluster */
export function clusterNames(texts: readonly string[]): readonly number[] {
  const runs = texts.map(runsOf);
  const parent = texts.map((_, index) => index);
  const rootOf = (index: number): number => {
    let root = index;
    while (parent[root] !== root) root = parent[root] ?? root;
    return root;
  };
  const textsOf = new Map<string, number[]>();
  for (const [index, own] of runs.entries()) {
    const common = new Map<number, number>();
    for (const other of [...own].flatMap((run) => rareIn(textsOf.get(run))))
      common.set(other, (common.get(other) ?? 0) + 1);
    for (const run of own) textsOf.set(run, [...(textsOf.get(run) ?? []), index]);
    for (const [other, shared] of common) {
      const least = Math.max(1, Math.min(own.size, runs[other]?.size ?? 0) * NEAR_DUPLICATE);
      if (shared >= least) union(parent, rootOf(other), rootOf(index));
    }
  }
  return texts.map((_, index) => rootOf(index));
}

function rareIn(others: readonly number[] = []): readonly number[] {
  return others.length < COMMON_RUN_TEXTS ? others : [];
}

function union(parent: number[], one: number, other: number): void {
  parent[Math.max(one, other)] = Math.min(one, other);
}

function runsOf(text: string): ReadonlySet<string> {
  const words = (text.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? []).slice(0, WORDS_MAX);
  const count = Math.max(1, words.length - SHINGLE_WORDS + 1);
  return new Set(Array.from({ length: count }, (_, at) => words.slice(at, at + SHINGLE_WORDS).join(' ')));
}
