/** Runs one part, with its log beside its result. */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runInGroup } from '../process-group.mjs';
import { runTests } from '../test-figures.mjs';
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

/** A command counts one, the tests of a part count each. */
async function endOf({ name, project, paths, command }, seed, { report, ...options }) {
  if (project !== undefined)
    return runTests([`--project=${project}`, ...(FLAGS[project] ?? []), ...paths], { report, ...options });
  rmSync(options.log, { force: true });
  const ended = await runInGroup(
    command.map((word) => word.replace('{seed}', String(seed))),
    options,
  );
  const failures = ended.code === 0 ? [] : [{ test: name, words: `ended with ${ended.code}` }];
  return { ...ended, passed: ended.code === 0 ? 1 : 0, failures };
}

/** Programs of a cluster are no descendants of whoever started it, and the next part wants one of its own. */
const ON_CLUSTER = ['e2e*', 'cluster'];
const CLUSTER_STATE = process.env['CLUSTER_STATE'] ?? '/var/lib/retainer-cluster';
const END_CLUSTER = ['test/cluster/cluster', 'down'];
/** Parts leave it to the next one, for the layers of its images, and the night ends it. One that was there before is somebody's. */
const ENGINE_STATE = process.env['ENGINE_STATE'] ?? '/var/lib/retainer-engine';
const isEngineOfOthers = existsSync(ENGINE_STATE);
const END_ENGINE = ['test/cluster/engine', 'down'];
/** Milliseconds. Either ends within seconds. */
const END_LIMIT_MS = 300_000;

/** What is left would be somebody's to the next night, so it is ended even where this one was interrupted. */
async function tidy(command, log) {
  const { env } = process;
  const { signal: interrupt } = new AbortController();
  const { code } = await runInGroup(command, { env, log, limitMs: END_LIMIT_MS, interrupt });
  if (code !== 0) process.stderr.write(`${command.join(' ')} ended with ${code}: see ${log}, and run it again\n`);
}

/**
 * Ends the engine that parts of this night have left. A part of a cluster has ended that itself.
 *
 * @param {string} [log]
 */
export async function endEngine(log = join(NIGHTLY, 'engine.log')) {
  if (!isEngineOfOthers && existsSync(ENGINE_STATE)) await tidy(END_ENGINE, log);
}

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
  const seeded = { RETAINER_TEST_SIZE: 'nightly', RETAINER_SEED: String(seed) };
  const env = { ...part.env, ...process.env, ...seeded, NO_COLOR: '1' };
  const limitMs = part.minutes * 60_000 * LIMIT_TIMES;
  // One that was there before is somebody's.
  const endsCluster = (part.isFresh === true || ON_CLUSTER.includes(part.project)) && !existsSync(CLUSTER_STATE);
  if (part.isFresh === true) await endEngine(log);
  const {
    seconds,
    isStopped,
    passed,
    failures: found,
  } = await endOf(part, seed, { env, report, log, limitMs, interrupt });
  if (endsCluster && existsSync(CLUSTER_STATE)) await tidy(END_CLUSTER, log);
  const failures = isStopped ? [...found, { test: part.name, words: 'it was stopped at its limit' }] : found;
  const failedTests = failures.map(({ test }) => test);
  return { when, seconds, passed, failed: failures.length, isStopped, seed, failedTests, failures };
}
