/** A copy of the tree in which lines are changed, one trial after the other, so that nothing happens to the tree itself. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from './prepare.mjs';

/** @typedef {{ readonly file: string, readonly text: string, readonly becomes: string }} Change */

/**
 * The files that git does not ignore, with packages of our own that lead into the copy.
 *
 * @returns {string} its directory, which the caller removes
 */
export function copyTree() {
  const copy = mkdtempSync(join(tmpdir(), 'retainer-mutants-'));
  const listed = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const file of listed.stdout.split('\0').filter((it) => it !== '' && existsSync(join(root, it)))) {
    mkdirSync(join(copy, dirname(file)), { recursive: true });
    cpSync(join(root, file), join(copy, file), { verbatimSymlinks: true });
  }
  const modules = join(root, 'node_modules');
  mkdirSync(join(copy, 'node_modules'));
  for (const name of readdirSync(modules))
    if (name === '@retainer')
      cpSync(join(modules, name), join(copy, 'node_modules', name), { recursive: true, verbatimSymlinks: true });
    else if (!name.startsWith('.vite')) symlinkSync(join(modules, name), join(copy, 'node_modules', name));
  return copy;
}

/**
 * @param {string} copy
 * @param {Change} change
 * @returns {string | undefined} what makes a change no change; undefined where it can be made
 */
export function staleness(copy, { file, text, becomes }) {
  const places = readFileSync(join(copy, file), 'utf8').split(text).length - 1;
  if (text === becomes) return 'it changes nothing';
  return places === 1 ? undefined : `its text is in ${file} ${places} times, want once`;
}

/**
 * Calls `use` while the changes hold.
 *
 * @template T
 * @param {string} copy
 * @param {readonly Change[]} changes
 * @param {() => T} use
 * @returns {T}
 */
export function changed(copy, changes, use) {
  const before = new Map(changes.map(({ file }) => [file, readFileSync(join(copy, file), 'utf8')]));
  for (const { file, text, becomes } of changes) {
    const path = join(copy, file);
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(text, () => becomes),
    );
  }
  try {
    return use();
  } finally {
    for (const [file, text] of before) writeFileSync(join(copy, file), text);
  }
}
