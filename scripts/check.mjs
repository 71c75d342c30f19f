/**
 * `npm run check`: what is quick to know before a commit, two at a time: types, lint, dead code, format, and the quick tests of
 * whatever imports a file that is not committed. `npm test` runs all but the slow ones of the quick tests.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interruption, runInGroup } from './process-group.mjs';

/** The longest first, so that none of them ends long after the others. */
const CHECKS = [
  ['types', 'npm run --silent types'],
  ['lint', 'npm run --silent lint'],
  ['tests of what changed', 'npx vitest run --project=unit --changed --passWithNoTests --reporter=agent'],
  ['dead code', 'npm run --silent knip'],
  ['format', 'npm run --silent format:check'],
];
/** As many as the smallest machine has processors. */
const AT_ONCE = 2;

/** Many times what the slowest takes. */
const LIMIT_MS = 1_800_000;

const logs = mkdtempSync(join(tmpdir(), 'retainer-check-'));
/** What is under way ends with this program, and nothing else is begun. */
const interrupt = interruption();
const env = { RETAINER_TEST_SIZE: 'quick', ...process.env, NO_COLOR: '1' };

/** Prints its name and seconds, and what it said where it failed. @returns whether it passed */
async function passes([name, command]) {
  const log = join(logs, `${name.replaceAll(' ', '-')}.log`);
  const { code, seconds } = await runInGroup(command.split(' '), { env, log, limitMs: LIMIT_MS, interrupt });
  process.stdout.write(`${code === 0 ? 'passed' : 'FAILED'} ${seconds.toFixed(1).padStart(6)} s  ${name}\n`);
  if (code !== 0) process.stdout.write(readFileSync(log));
  return code === 0;
}

const queue = [...CHECKS];
const results = [];
async function work() {
  for (let next = queue.shift(); next !== undefined && !interrupt.aborted; next = queue.shift())
    results.push(await passes(next));
}
await Promise.all(Array.from({ length: AT_ONCE }, work));
rmSync(logs, { recursive: true });
const failed = results.filter((it) => !it).length;
process.stdout.write(`${results.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && results.length === CHECKS.length ? 0 : 1;
