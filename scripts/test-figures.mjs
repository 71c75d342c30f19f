/** What a run of vitest came to, by the report that `.ci/each-test.mjs` wrote. */
import { readReport } from '../.ci/read-report.mjs';

/** Characters of an error: enough to know it again. */
const WORDS_MAX = 160;

const firstWords = (errors) => (errors[0] ?? '').split('\n')[0].slice(0, WORDS_MAX);

/**
 * @typedef {{ readonly test: string, readonly words: string }} Failure
 *
 * @param {string} path  of the report
 * @param {number} code  of vitest: a run that failed without a failed test, or without any, counts as one failure
 * @returns {{ passed: number, failures: readonly Failure[] }}
 */
export function readFigures(path, code) {
  const report = readReport(path);
  const passed = report.tests.filter(({ state }) => state === 'passed').length;
  const failures = report.failures.map(({ name, errors }) => ({ test: name, words: firstWords(errors) }));
  if (failures.length === 0 && code !== 0)
    failures.push({ test: 'no test', words: `vitest ended with ${code}, and no test failed` });
  if (failures.length === 0 && passed === 0) failures.push({ test: 'no test', words: 'no test was run' });
  return { passed, failures };
}
