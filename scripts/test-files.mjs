/** The files with tests, and those that a word on the command line means. */
import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';
import { nearestNames } from './nearest-names.mjs';
import { root } from './prepare.mjs';

const ENDING = '.test.ts';

/** Relative paths; also of files that are not committed yet. */
function testFiles() {
  const pathspecs = [`*${ENDING}`, ':!test/lint-fixtures'];
  const argv = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...pathspecs];
  const listed = spawnSync('git', argv, { cwd: root, encoding: 'utf8' });
  return listed.stdout.split('\0').filter((path) => path !== '');
}

const baseName = (path) => basename(path, ENDING);

/**
 * @param {string} word  a path, a folder that ends in a slash, or the name of a test. Not a part of a name: who mistypes one would wait
 *   for tests that nobody asked for.
 * @throws an error that names the nearest
 */
export function filesOf(word) {
  const files = testFiles();
  const isMeant = (path) => path === word || baseName(path) === word || (word.endsWith('/') && path.startsWith(word));
  const found = files.filter(isMeant);
  if (found.length > 0) return found;
  throw new Error(`no test is called ${word}; near it: ${nearestNames(word, files.map(baseName)).join(', ')}`);
}
