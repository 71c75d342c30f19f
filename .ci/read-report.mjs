/** What `each-test.mjs` has told in a file: tests, files, and the failures that no test of its file tells. */
import { existsSync, readFileSync } from 'node:fs';

export function readReport(path = '') {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  // A stage that is killed may leave half a line.
  const lines = text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  const tests = lines.filter(({ kind }) => kind === 'test');
  const files = lines.filter(({ kind }) => kind === 'file');
  const failedFiles = new Set(tests.filter(({ state }) => state === 'failed').map(({ file }) => file));
  const unloaded = files.filter(({ file, state }) => state === 'failed' && !failedFiles.has(file));
  return { tests, files, unloaded };
}
