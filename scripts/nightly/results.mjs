/** What the parts came to when they were last run: `.nightly/results.json`. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../prepare.mjs';

/**
 * @typedef {object} Result
 * @property {string} when  when it began, ISO 8601
 * @property {number} seconds
 * @property {number} passed
 * @property {number} failed
 * @property {boolean} isStopped  at its limit
 * @property {number} seed
 * @property {readonly string[]} failedTests
 *
 * @typedef {Readonly<Record<string, Result>>} Results  by the names of parts
 */

export const NIGHTLY = join(root, '.nightly');
const FILE = join(NIGHTLY, 'results.json');
const AGES = [
  { unit: 'days', seconds: 86_400 },
  { unit: 'hours', seconds: 3600 },
  { unit: 'minutes', seconds: 60 },
];

/** @returns {Results} */
export function readResults() {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
}

/** @param {string} name @param {Result} result */
export function keepResult(name, result) {
  mkdirSync(NIGHTLY, { recursive: true });
  // Half a file would be the end of all that was known.
  writeFileSync(`${FILE}.new`, `${JSON.stringify({ ...readResults(), [name]: result }, undefined, 2)}\n`);
  renameSync(`${FILE}.new`, FILE);
}

/** @param {string | undefined} when @param {number} nowMs */
export function ageOf(when, nowMs) {
  if (when === undefined) return 'never';
  const seconds = (nowMs - Date.parse(when)) / 1000;
  const age = AGES.find((it) => seconds >= 2 * it.seconds);
  return age === undefined ? 'just now' : `${Math.floor(seconds / age.seconds)} ${age.unit} ago`;
}

/** @param {Result | undefined} result */
export function resultWords(result) {
  if (result === undefined) return '';
  const stopped = result.isStopped ? ', stopped' : '';
  return `${result.passed} passed, ${result.failed} failed, ${Math.round(result.seconds)} s${stopped}`;
}
