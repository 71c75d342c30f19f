/** `npm test`: the quick tests, then a list of those left out. Extra arguments go to vitest: `npm test -- journal`. */
import { SLOW_UNIT } from '../.ci/gate.mjs';
import { prepare } from './prepare.mjs';
import { runNode } from './run-child.mjs';

const notRun = [
  ['npm run types', 'the types of sources and tests; also npm run lint, npm run knip, npm run format:check'],
  ['npm run test:chart', 'the chart as helm renders it, its alerts as promtool judges them'],
  ['npm run test:cluster', 'a real Kubernetes API server; needs Linux, root and Go'],
  ['npm run test:e2e', 'an installation in a real cluster; needs Linux, root and Go, or kind'],
  ['npm run test:integration', 'real processes, kills, escapes from the sandbox; some tests need root'],
  ['npm run unit', `the quick tests that take seconds each: ${SLOW_UNIT.length} files`],
  ['.ci/run', 'the gate: what a change may have broken, of all of these, in 10 to 15 minutes'],
  ['npm run nightly', 'everything, in as many rounds and as long times as the goals name: hours, in parts'],
];

/** Where nobody watches, every dot and colour is a character of a log. */
const isWatched = process.stdout.isTTY === true && process.env['CI'] === undefined;
if (!isWatched) process.env['NO_COLOR'] = '1';
process.env['RETAINER_TEST_SIZE'] ??= 'quick';

// Whoever names tests wants those.
if (process.argv.length === 2) process.env['RETAINER_TEST_IS_AWAITED'] = '1';

prepare();
process.exitCode = await runNode([
  'node_modules/vitest/vitest.mjs',
  'run',
  '--project',
  'unit',
  `--reporter=${isWatched ? 'dot' : 'agent'}`,
  ...process.argv.slice(2),
]);
const size = process.env['RETAINER_TEST_SIZE'];
process.stdout.write(`\nThe size of random and exhaustive tests: ${size}. Not run here:\n`);
for (const [command, what] of notRun) process.stdout.write(`  ${command?.padEnd(26)} ${what}\n`);
