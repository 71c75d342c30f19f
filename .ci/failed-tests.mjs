/**
 * Prints each failed test of a report with the first lines of its error: what one reads when the rest of the log is gone. UNSTEADY is
 * one that failed and then passed.
 */
import { readReport } from './read-report.mjs';

const LINES_MAX = 16;
const CHARACTERS_MAX = 1200;

const { tests, unloaded } = readReport(process.argv[2]);
const erred = tests.filter(({ state, errors }) => state === 'failed' || errors.length > 0);
const told = [
  ...erred.map((test) => ({ ...test, word: test.state === 'failed' ? 'FAILED' : 'UNSTEADY' })),
  ...unloaded.map((file) => ({ ...file, word: 'FAILED', name: 'did not load' })),
];
for (const { word, file, name, errors } of told) {
  const words = errors.join('\n').split('\n').slice(0, LINES_MAX).join('\n    ').slice(0, CHARACTERS_MAX);
  process.stdout.write(`${word} ${file}: ${name}\n    ${words}\n`);
}
