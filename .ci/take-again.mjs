/**
 * Takes the second run of a file that failed into the stage's report, where it passed, and prints `FILE, TEST` of what failed before:
 * `take-again.mjs REPORT REPORT-OF-SECOND-RUN FILE EXIT-CODE`. A file that fails again leaves all as it was.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { readReport } from './read-report.mjs';

const [path = '', againPath = '', file = '', code] = process.argv.slice(2);
const again = readReport(againPath, Number(code));
if (again.failures.length === 0) {
  const failed = readReport(path, 1).tests.filter((it) => it.file === file && it.state === 'failed');
  const names = failed.map(({ name }) => name).join('; ') || 'what surrounds its tests';
  const lines = readFileSync(againPath, 'utf8').split('\n');
  // That the first run came to its end, only the first run can tell.
  const taken = lines.filter((line) => !line.includes('"kind":"end"')).join('\n');
  appendFileSync(path, `\n${JSON.stringify({ kind: 'again', file })}\n${taken}`);
  process.stdout.write(`${file}, ${names}\n`);
}
