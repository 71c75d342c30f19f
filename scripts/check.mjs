/**
 * `npm run check`: what is quick to know before a commit, two at a time: types, lint, dead code, format, and the quick tests of
 * whatever imports a file that is not committed. `npm test` runs all but the slow ones of the quick tests.
 */
import { spawn } from 'node:child_process';
import { root } from './prepare.mjs';

/** The longest first, so that none of them ends long after the others. */
const CHECKS = [
  ['types', 'npm', ['run', '--silent', 'types']],
  ['lint', 'npm', ['run', '--silent', 'lint']],
  [
    'tests of what changed',
    'npx',
    ['vitest', 'run', '--project=unit', '--changed', '--passWithNoTests', '--reporter=agent'],
  ],
  ['dead code', 'npm', ['run', '--silent', 'knip']],
  ['format', 'npm', ['run', '--silent', 'format:check']],
];
/** As many as the smallest machine has processors. */
const AT_ONCE = 2;

const env = { RETAINER_TEST_SIZE: 'quick', ...process.env, NO_COLOR: '1' };

/** Prints its name and seconds, and what it said where it failed. @returns whether it passed */
async function passes([name, command, argv]) {
  const began = Date.now();
  const child = spawn(command, argv, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const told = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => told.push(chunk));
  const code = await new Promise((resolve) => {
    child.on('error', () => resolve(1));
    child.on('close', resolve);
  });
  const seconds = ((Date.now() - began) / 1000).toFixed(1).padStart(6);
  process.stdout.write(`${code === 0 ? 'passed' : 'FAILED'} ${seconds} s  ${name}\n`);
  if (code !== 0) process.stdout.write(Buffer.concat(told));
  return code === 0;
}

const queue = [...CHECKS];
const results = [];
async function work() {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) results.push(await passes(next));
}
await Promise.all(Array.from({ length: AT_ONCE }, work));
const failed = results.filter((it) => !it).length;
process.stdout.write(`${results.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
