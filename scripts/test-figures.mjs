/** A run of vitest, and what it came to by the report that `.ci/each-test.mjs` wrote. */
import { rmSync } from 'node:fs';
import { readReport } from '../.ci/read-report.mjs';
import { runInGroup } from './process-group.mjs';

/** With the reporters that `.ci/run` has. */
const VITEST = [
  ...[process.execPath, 'node_modules/vitest/vitest.mjs', 'run'],
  ...['--reporter=default', '--reporter=./.ci/each-test.mjs'],
];

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
function readFigures(path, code) {
  const { tests, failures } = readReport(path, code);
  return {
    passed: tests.filter(({ state }) => state === 'passed').length,
    failures: failures.map(({ name, errors }) => ({ test: name, words: firstWords(errors) })),
  };
}

/**
 * Runs vitest with a new log and a report that is gone afterwards.
 *
 * @param {readonly string[]} argv  of vitest
 * @param {Parameters<typeof runInGroup>[1] & { readonly report: string }} options
 */
export async function runTests(argv, { env, report, ...more }) {
  for (const path of [more.log, report]) rmSync(path, { force: true });
  const ended = await runInGroup([...VITEST, ...argv], { env: { ...env, NO_COLOR: '1', report }, ...more });
  const figures = readFigures(report, ended.code);
  rmSync(report, { force: true });
  return { ...ended, ...figures };
}
