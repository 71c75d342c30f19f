/**
 * Orders two semantic versions: negative if `a` is the earlier one, 0 if they are equal in precedence.
 *
 * Source: Semantic Versioning 2.0.0, section 11.
 */
export function compareVersions(a: string, b: string): number {
  const [coreA, preA] = parts(a);
  const [coreB, preB] = parts(b);
  const core = compareLists(coreA, coreB);
  if (core !== 0) return core;
  // A version without a pre-release is later than any of its pre-releases.
  if (preA.length === 0 || preB.length === 0) return preB.length - preA.length;
  return compareLists(preA, preB);
}

function parts(version: string): readonly [core: readonly string[], pre: readonly string[]] {
  const dash = version.indexOf('-');
  if (dash < 0) return [version.split('.'), []];
  return [version.slice(0, dash).split('.'), version.slice(dash + 1).split('.')];
}

function compareLists(a: readonly string[], b: readonly string[]): number {
  for (const [at, left] of a.entries()) {
    const right = b[at];
    if (right === undefined) return 1;
    const order = compareIdentifiers(left, right);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Numbers by value and before words; words by their characters. */
function compareIdentifiers(a: string, b: string): number {
  const isNumber = (text: string): boolean => /^[0-9]+$/.test(text);
  if (isNumber(a) && isNumber(b)) return Number(a) - Number(b);
  if (isNumber(a) !== isNumber(b)) return isNumber(a) ? -1 : 1;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
