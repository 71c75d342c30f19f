/**
 * `npm start`: the example agent and its tasks on this machine. Extra arguments go to `retainer run`:
 * `npm start -- --watch`.
 */
import { build, prepare } from './prepare.mjs';
import { runNode } from './run-child.mjs';

prepare();
build();
process.exitCode = await runNode([
  'cli/bin/retainer.js',
  'run',
  '-f',
  'manifests/examples',
  '--data',
  '.retainer/examples',
  ...process.argv.slice(2),
]);
