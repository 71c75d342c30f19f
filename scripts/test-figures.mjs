/** What a run of vitest came to, by the report that `.ci/each-test.mjs` wrote. */
import { readReport } from '../.ci/read-report.mjs';

/** Characters of an error: enough to know it again. */
const WORDS_MAX = 160;

const firstWords = (errors) => (errors[0] ?? '').split('\n')[0].slice(0, WORDS_MAX);

/**
 * @typedef {{ readonly test: string, readonly words: string }} Failure
 *
 * @param {string} path  of the report
 * @param {number} code  of vitest
 * @returns {{ passed: number, failures: readonly Failure[] }}
 */
export function readFigures(path, code) {
  const { tests, failures } = readReport(path, code);
  return {
    passed: tests.filter(({ state }) => state === 'passed').length,
    failures: failures.map(({ name, errors }) => ({ test: name, words: firstWords(errors) })),
  };
}
