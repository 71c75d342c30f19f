/**
 * Takes the second run of a file that failed into the stage's report, where it passed, and prints `FILE, TEST` of what failed before:
 * `take-again.mjs REPORT REPORT-OF-SECOND-RUN FILE EXIT-CODE`. A file that fails again leaves all as it was.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { readReport } from './read-report.mjs';

const [path = '', againPath = '', file = '', code] = process.argv.slice(2);
const again = readReport(againPath);
if (code === '0' && again.failures.length === 0 && again.tests.some(({ state }) => state === 'passed')) {
  const failed = readReport(path).tests.filter((it) => it.file === file && it.state === 'failed');
  const names = failed.map(({ name }) => name).join('; ') || 'what surrounds its tests';
  appendFileSync(path, `${JSON.stringify({ kind: 'again', file })}\n${readFileSync(againPath, 'utf8')}`);
  process.stdout.write(`${file}, ${names}\n`);
}
