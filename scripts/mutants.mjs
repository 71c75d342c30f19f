/**
 * `npm run mutants`: would a test notice if a line that carries a promise were wrong? Applies each change of `mutant-list.mjs`
 * to a copy of the tree, one at a time, runs the tests that it names, and prints the changes that no test noticed.
 *
 * `npm run mutants -- --only journal`: those whose name begins so; may be given several times.
 *
 * The exit code is 1 if a change survived, or if the list no longer fits the sources.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { changed, copyTree, staleness } from './changed-tree.mjs';
import { mutants } from './mutant-list.mjs';

/** Milliseconds. The tests of one change take seconds; one that never ends was noticed, too. */
const TEST_TIMEOUT_MS = 180_000;

const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } });

function runTests(copy, tests) {
  const argv = ['node_modules/vitest/vitest.mjs', 'run', '--project=unit', '--bail=1', '--reporter=agent', ...tests];
  const run = spawnSync(process.execPath, argv, {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, RETAINER_TEST_SIZE: 'quick', NO_COLOR: '1' },
    timeout: TEST_TIMEOUT_MS,
  });
  return { passed: run.status === 0, output: `${run.stdout}${run.stderr}` };
}

/** @returns 'noticed', 'SURVIVED' or why it could not be tried */
function tryMutant(copy, mutant) {
  const stale = staleness(copy, mutant);
  if (stale !== undefined) return `STALE: ${stale}`;
  return changed(copy, [mutant], () => (runTests(copy, mutant.tests).passed ? 'SURVIVED' : 'noticed'));
}

function main() {
  const beginnings = values.only ?? [''];
  const wanted = mutants.filter(({ name }) => beginnings.some((beginning) => name.startsWith(beginning)));
  const copy = copyTree();
  try {
    const unchanged = runTests(copy, [...new Set(wanted.flatMap(({ tests }) => tests))]);
    if (!unchanged.passed) {
      process.stdout.write(`${unchanged.output}\nthe tests fail without any change\n`);
      return 1;
    }
    const bad = [];
    for (const mutant of wanted) {
      const startMs = performance.now();
      const result = tryMutant(copy, mutant);
      process.stdout.write(
        `${result.padEnd(9)} ${((performance.now() - startMs) / 1000).toFixed(0).padStart(3)} s  ${mutant.name}\n`,
      );
      if (result !== 'noticed') bad.push(`${mutant.name} (${mutant.file}): ${result}`);
    }
    process.stdout.write(`\n${wanted.length} changes, ${wanted.length - bad.length} noticed\n`);
    for (const line of bad) process.stdout.write(`${line}\n`);
    return wanted.length > 0 && bad.length === 0 ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

process.exitCode = main();
