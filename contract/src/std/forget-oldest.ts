/** Keeps a map or a set small: the member that came first leaves it when there are more than `max`. @returns whether one left */
export function forgetOldest(kept: Map<unknown, unknown> | Set<unknown>, max: number): boolean {
  if (kept.size <= max) return false;
  const [oldest] = kept.keys();
  return kept.delete(oldest);
}
