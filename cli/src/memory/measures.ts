/** How well a ranking found what it should have found, and how sure that is. */
import { Seeded } from '@retainer/agent-pod/attack/seeded';

/** @param ranked  ids, best first. @param relevant  ids that should be found */
export function precisionAt(count: number, ranked: readonly string[], relevant: ReadonlySet<string>): number {
  return hitsAt(count, ranked, relevant) / count;
}

export function recallAt(count: number, ranked: readonly string[], relevant: ReadonlySet<string>): number {
  return relevant.size === 0 ? 0 : hitsAt(count, ranked, relevant) / relevant.size;
}

export function reciprocalRank(ranked: readonly string[], relevant: ReadonlySet<string>): number {
  const at = ranked.findIndex((id) => relevant.has(id));
  return at === -1 ? 0 : 1 / (at + 1);
}

/** Normalised discounted cumulative gain; an id is relevant or not. */
export function ndcgAt(count: number, ranked: readonly string[], relevant: ReadonlySet<string>): number {
  const gain = (at: number): number => 1 / Math.log2(at + 2);
  const found = ranked.slice(0, count).reduce((sum, id, at) => sum + (relevant.has(id) ? gain(at) : 0), 0);
  const ideal = Array.from({ length: Math.min(count, relevant.size) }, (_, at) => gain(at));
  return ideal.length === 0 ? 0 : found / ideal.reduce((sum, it) => sum + it, 0);
}

function hitsAt(count: number, ranked: readonly string[], relevant: ReadonlySet<string>): number {
  return ranked.slice(0, count).filter((id) => relevant.has(id)).length;
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, it) => sum + it, 0) / values.length;
}

/** Enough that the third digit of an interval holds still. */
const RESAMPLES = 2000;

/** The same numbers for the same data. */
const SEED = 42;

/** 95 of 100 resamples have a mean between the two. */
export type Interval = readonly [low: number, high: number];

/**
 * The bootstrap interval of a mean.
 *
 * @param groups  values that belong together, such as those of one conversation: groups are drawn, not values
 */
export function bootstrapInterval(groups: readonly (readonly number[])[]): Interval {
  const drawn = new Seeded(SEED);
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    let count = 0;
    for (let n = 0; n < groups.length; n += 1) {
      const group = groups[drawn.below(groups.length)] ?? [];
      for (const value of group) sum += value;
      count += group.length;
    }
    return count === 0 ? 0 : sum / count;
  }).toSorted((a, b) => a - b);
  return [means[Math.floor(0.025 * RESAMPLES)] ?? 0, means[Math.ceil(0.975 * RESAMPLES) - 1] ?? 0];
}
