/** A random order that a seed gives again. */
import { Seeded } from '../support/seeded.ts';

export function seededShuffle<T>(given: readonly T[], seed: number): readonly T[] {
  const random = new Seeded(seed);
  const keyed = given.map((item) => ({ item, key: random.below(2 ** 32) }));
  return keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item);
}
