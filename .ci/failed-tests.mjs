/**
 * What failed, for who reads only the end of a log. `failed-tests.mjs NAME=EXIT-CODE=REPORT…` prints each failed test of these stages with its
 * first error, and what a stopped stage was doing, in one screen; `failed-tests.mjs --files REPORT` prints the files alone.
 */
import { existsSync, readFileSync } from 'node:fs';
import { readReport } from './read-report.mjs';

/** Lines of all failures together: the last 60 of a log are what is kept of it. */
const LINES_MAX = 52;
/** Lines of one failure, however few there are. */
const LINES_EACH_MAX = 16;
const CHARACTERS_MAX = 200;

const [first = '', ...rest] = process.argv.slice(2);
if (first === '--files')
  process.stdout.write(
    readReport(rest[0] ?? '', 1)
      .failedFiles.map((it) => `${it}\n`)
      .join(''),
  );
else process.stdout.write(told([first, ...rest].filter(Boolean).flatMap((it) => failuresOf(...it.split('=')))));

function failuresOf(stage, code, path) {
  const { failures, isCheck } = readReport(path, Number(code));
  return failures.map(({ name, errors }) => [
    name.includes('.test.ts: ') ? `FAILED ${name}` : `FAILED stage ${stage}: ${name}`,
    ...(isCheck ? logEnd(path.replace(/report$/, 'log')) : linesOf(errors.join('\n'))),
  ]);
}

function linesOf(text) {
  return text.split('\n').filter((line) => line.trim() !== '');
}

function logEnd(path) {
  return existsSync(path) ? linesOf(readFileSync(path, 'utf8')).slice(-LINES_EACH_MAX) : [];
}

/** Each failure has as many lines as there is room for; failures without room are counted. */
function told(failures) {
  const each = Math.min(LINES_EACH_MAX, Math.max(2, Math.floor(LINES_MAX / Math.max(1, failures.length))));
  const shown = failures.slice(0, Math.floor(LINES_MAX / 2));
  const lines = shown.flatMap(([head = '', ...errors]) => [
    head,
    ...errors.slice(0, each - 1).map((it) => `    ${it}`),
  ]);
  const left = failures.length - shown.length;
  return [...lines, ...(left > 0 ? [`and ${left} more: see above`] : [])]
    .map((line) => `${line.slice(0, CHARACTERS_MAX)}\n`)
    .join('');
}
