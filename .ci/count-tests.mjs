/**
 * Prints `passed failed skipped` of a report. A file that fails without a failed test (it does not load) counts as one failure. So
 * does a run that failed otherwise, was stopped, left no report, or found no test: an empty run must never pass.
 */
import { readReport } from './read-report.mjs';

const [path, exitCode] = process.argv.slice(2);
const { tests, unloaded } = readReport(path);
const count = (wanted) => tests.filter(({ state }) => state === wanted).length;
const failed = count('failed') + unloaded.length;
const isBroken = failed === 0 && (exitCode !== '0' || count('passed') === 0);
process.stdout.write(`${count('passed')} ${failed + (isBroken ? 1 : 0)} ${count('skipped')}\n`);
