/** `npm test`: the quick tests, and a word on the others. Extra arguments go to vitest: `npm test -- journal`. */
import { prepare } from './prepare.mjs';
import { runNode } from './run-child.mjs';

const notRun = [
  ['npm run test:integration', 'real processes, kills, escapes from the sandbox; some tests need root'],
  ['npm run test:cluster', 'a real Kubernetes API server; needs Linux, root and Go'],
  ['.ci/run', 'all of it, as the continuous integration does'],
];

prepare();
process.exitCode = await runNode([
  'node_modules/vitest/vitest.mjs',
  'run',
  '--project',
  'unit',
  '--reporter=dot',
  ...process.argv.slice(2),
]);
process.stdout.write('\nNot run here:\n');
for (const [command, what] of notRun) process.stdout.write(`  ${command?.padEnd(26)} ${what}\n`);
