/** Prints the slowest files of a report, in seconds, to show where a stage spends its time. */
import { readReport } from './read-report.mjs';

const FILES_MAX = 8;

const slowest = readReport(process.argv[2] ?? '', 0)
  .files.toSorted((a, b) => b.seconds - a.seconds)
  .slice(0, FILES_MAX);
for (const { file, seconds } of slowest) process.stdout.write(`${seconds.toFixed(1).padStart(7)} s ${file}\n`);
