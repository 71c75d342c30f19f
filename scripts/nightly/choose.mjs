/** Which parts are run, and in which order. Pure. */
import { nearestNames } from '../nearest-names.mjs';

/** @import { Part } from './parts.mjs' */
/** @import { Results } from './results.mjs' */

/**
 * Those that were not run for longest come first, and those that never were before them.
 *
 * @param {readonly Part[]} parts
 * @param {Results} results
 */
export function longestUnrunFirst(parts, results) {
  const whenOf = ({ name }) => results[name]?.when ?? '';
  return parts.toSorted((a, b) => (whenOf(a) < whenOf(b) ? -1 : Number(whenOf(a) > whenOf(b))));
}

/**
 * @param {readonly Part[]} parts
 * @param {readonly string[]} names
 * @throws an error that names the nearest
 */
export function partsNamed(parts, names) {
  const known = parts.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return parts.filter(({ name }) => names.includes(name));
  throw new Error(`no part is called ${unknown}; near it: ${nearestNames(unknown, known).join(', ')}`);
}

/**
 * What it took last, and else its estimate: one that failed early or was stopped says nothing about the next time.
 *
 * @param {Part} part
 * @param {Results} results
 */
export function expectedSeconds({ name, minutes }, results) {
  const last = results[name];
  return last === undefined || last.failed > 0 ? minutes * 60 : last.seconds;
}

/**
 * @param {readonly Part[]} queue  the first that fits is next
 * @param {number} leftSeconds
 * @param {Results} results
 * @returns {Part | undefined}
 */
export function nextPart(queue, leftSeconds, results) {
  return queue.find((part) => expectedSeconds(part, results) <= leftSeconds);
}
