/** Runs one part, with its log beside its result. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runInGroup } from '../process-group.mjs';
import { readFigures } from '../test-figures.mjs';
import { NIGHTLY } from './results.mjs';

/** @import { Part } from './parts.mjs' */
/** @import { Result } from './results.mjs' */

/** Times its minutes: a slow machine, or others that use it. */
const LIMIT_TIMES = 3;
/** Milliseconds. The longest, of two operators with the times of an installation, takes half of it. */
const TEST_TIMEOUT_MS = 1_200_000;

/** Times of goals are measured alone. */
export const FILES_IN_TURN = ['--no-file-parallelism', `--testTimeout=${TEST_TIMEOUT_MS}`];
const FLAGS = { integration: FILES_IN_TURN, unit: [`--testTimeout=${TEST_TIMEOUT_MS}`] };

export function vitest(...argv) {
  return [process.execPath, 'node_modules/vitest/vitest.mjs', 'run', ...argv];
}

/** @param {Part} part */
function commandOf({ project, paths, command }, seed) {
  if (project === undefined) return command.map((word) => word.replace('{seed}', String(seed)));
  const reporters = ['--reporter=default', '--reporter=./.ci/each-test.mjs'];
  return vitest(`--project=${project}`, ...(FLAGS[project] ?? []), ...reporters, ...paths);
}

/** A command counts one, the tests of a part count each. */
function figuresOf(part, report, ended) {
  if (part.project !== undefined) return readFigures(report, ended.code);
  const words = `ended with ${ended.code}`;
  return ended.code === 0 ? { passed: 1, failures: [] } : { passed: 0, failures: [{ test: part.name, words }] };
}

/** Of what the tests of an installation leave behind when they are stopped: the next ones want a cluster of their own. */
const END_CLUSTER = ['test/cluster/cluster', 'down'];

/**
 * @param {Part} part
 * @param {number} seed
 * @param {AbortSignal} interrupt
 * @returns {Promise<Result & { readonly failures: readonly import('../test-figures.mjs').Failure[] }>}
 */
export async function runPart(part, seed, interrupt) {
  const when = new Date().toISOString();
  mkdirSync(NIGHTLY, { recursive: true });
  const log = join(NIGHTLY, `${part.name}.log`);
  const report = join(NIGHTLY, `${part.name}.report`);
  for (const path of [log, report]) rmSync(path, { force: true });
  const seeded = { RETAINER_TEST_SIZE: 'nightly', RETAINER_SEED: String(seed) };
  const env = { ...part.env, ...process.env, ...seeded, NO_COLOR: '1', report };
  const limitMs = part.minutes * 60_000 * LIMIT_TIMES;
  const ended = await runInGroup(commandOf(part, seed), { env, log, limitMs, interrupt });
  const { passed, failures } = figuresOf(part, report, ended);
  if (ended.isStopped && part.project === 'e2e*') await runInGroup(END_CLUSTER, { env, log, limitMs, interrupt });
  rmSync(report, { force: true });
  const { seconds, isStopped } = ended;
  const failedTests = failures.map(({ test }) => test);
  return { when, seconds, passed, failed: failures.length, isStopped, seed, failedTests, failures };
}
