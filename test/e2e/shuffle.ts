/** A random order that a seed gives again. */
import { Seeded } from '../support/seeded.ts';

export interface Shuffled<T> {
  readonly seed: number;
  readonly items: readonly T[];
}

/** @param seed  from an earlier run; undefined: a new one */
export function seededShuffle<T>(given: readonly T[], seed: string | undefined): Shuffled<T> {
  const number = seed === undefined ? Date.now() % 1_000_000 : Number(seed);
  const random = new Seeded(number);
  const keyed = given.map((item) => ({ item, key: random.below(2 ** 32) }));
  return { seed: number, items: keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item) };
}
