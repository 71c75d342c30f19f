/**
 * The one comparison of a measured number with a threshold.
 *
 * Source: artoo A.9 (0.6 · 4/3 is 0.7999… and must count as 0.8).
 */

/** Far above the rounding errors of a dozen operations on numbers up to 1, far below any meaningful difference. */
const TOLERANCE = 1e-9;

/** -1 below, 0 equal within the tolerance, 1 above. NaN counts as equal: it is neither below nor above. */
function compared(value: number, threshold: number): -1 | 0 | 1 {
  if (value - threshold > TOLERANCE) return 1;
  return threshold - value > TOLERANCE ? -1 : 0;
}

export function isAbove(value: number, threshold: number): boolean {
  return compared(value, threshold) > 0;
}

export function isBelow(value: number, threshold: number): boolean {
  return compared(value, threshold) < 0;
}
