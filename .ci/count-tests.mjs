/**
 * Prints `passed failed skipped` of a vitest JSON report. A run that failed without a failed test (a file that does not load,
 * no report at all, no test) counts as one failure: a green light is never wired to nothing.
 */
import { existsSync, readFileSync } from 'node:fs';

const [file, exitCode] = process.argv.slice(2);
const report = file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
const passed = report.numPassedTests ?? 0;
const failed = report.numFailedTests ?? 0;
const isBroken = failed === 0 && (exitCode !== '0' || passed === 0);
process.stdout.write(`${passed} ${failed + (isBroken ? 1 : 0)} ${report.numPendingTests ?? 0}\n`);
