/**
 * `npm run nightly`: the tests at their largest size, one file after the other, with the time limits of the goals; then
 * `npm run mutants`, `npm run worst-case` without each rule of the gate, two hours of a cluster under faults, and the commands of
 * README.md from empty caches.
 * `npm run nightly -- operator-failover`: one of them.
 */
import { build, prepare } from './prepare.mjs';
import { runNode } from './run-child.mjs';

/** Milliseconds. The longest, of two operators with the times of an installation, takes half of it. */
const TEST_TIMEOUT_MS = 1_200_000;

process.env['RETAINER_TEST_SIZE'] = 'nightly';
prepare();
build();
process.exitCode = await runNode([
  'node_modules/vitest/vitest.mjs',
  'run',
  '--project=unit',
  '--project=integration',
  '--no-file-parallelism',
  `--testTimeout=${TEST_TIMEOUT_MS}`,
  ...process.argv.slice(2),
]);
// Named tests alone: who names them wants only these.
if (process.argv.length === 2) {
  const rules = ['node_modules/tsx/dist/cli.mjs', '--conditions=source', 'bench/worst-case.ts', '--without=each'];
  const cluster = ['node_modules/vitest/vitest.mjs', 'run', '--project=e2e*'];
  for (const argv of [['scripts/mutants.mjs'], rules, cluster, ['scripts/try-readme.mjs']])
    process.exitCode = Math.max(process.exitCode, await runNode(argv));
}
