/**
 * Prints `passed failed skipped` of a report. A file that fails without a failed test (it does not load) counts as one failure. So
 * does a run that failed otherwise, was stopped, left no report, or found no test: an empty run must never pass.
 */
import { readReport } from './read-report.mjs';

const [path, exitCode] = process.argv.slice(2);
const { tests, failures, check, stopped, isAgain } = readReport(path);
const count = (wanted) => tests.filter(({ state }) => state === wanted).length;
const print = (...numbers) => process.stdout.write(`${numbers.join(' ')}\n`);

if (check !== undefined) print(...(exitCode === '0' ? [1, 0] : [0, 1]), 0);
else {
  const failed = failures.length + (stopped === undefined ? 0 : 1);
  const isBroken = failed === 0 && ((exitCode !== '0' && !isAgain) || count('passed') === 0);
  print(count('passed'), failed + (isBroken ? 1 : 0), count('skipped'));
}
