/** Prints the slowest files of a vitest JSON report, in seconds, to show where a stage spends its time. */
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
