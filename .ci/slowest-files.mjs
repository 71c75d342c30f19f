/** Prints the files of a vitest JSON report that took longest, in seconds: where the minutes of a stage go. */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const FILES_MAX = 8;

const [report = ''] = process.argv.slice(2);
const files = existsSync(report) ? (JSON.parse(readFileSync(report, 'utf8')).testResults ?? []) : [];
const slowest = files
  .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }))
  .toSorted((a, b) => b.seconds - a.seconds)
  .slice(0, FILES_MAX);
for (const { name, seconds } of slowest)
  process.stdout.write(`${seconds.toFixed(1).padStart(7)} s ${relative('.', name)}\n`);
