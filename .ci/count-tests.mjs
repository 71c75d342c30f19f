/**
 * Prints `passed failed skipped` of a vitest JSON report. A file that fails without a failed test (it does not load) counts as
 * one failure. So does a run that failed otherwise, left no report, or found no test: an empty run must never pass.
 */
import { existsSync, readFileSync } from 'node:fs';

const [file, exitCode] = process.argv.slice(2);
const report = file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
const files = report.testResults ?? [];
const isUnloaded = ({ status, assertionResults }) =>
  status === 'failed' && !assertionResults.some((test) => test.status === 'failed');
const passed = report.numPassedTests ?? 0;
const failed = (report.numFailedTests ?? 0) + files.filter(isUnloaded).length;
const isBroken = failed === 0 && (exitCode !== '0' || passed === 0);
process.stdout.write(`${passed} ${failed + (isBroken ? 1 : 0)} ${report.numPendingTests ?? 0}\n`);
