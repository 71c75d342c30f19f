/** A command that ends with whatever it started; not found is only what gave itself a session and lost its parent. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from './prepare.mjs';

/** What a program may take to tidy up after it was told to end, milliseconds. */
const GRACE_MS = 10_000;
const LOOK_EVERY_MS = 100;

/** The process whose id is negative is a group. A signal to one that has ended is no fault. */
function tell(id, signal) {
  try {
    return process.kill(id, signal);
  } catch {
    return false;
  }
}

function parentOf(id) {
  try {
    // The name before it may hold spaces and parentheses.
    return Number(
      readFileSync(`/proc/${id}/stat`, 'utf8')
        .replace(/.*\) . /s, '')
        .split(' ', 1)[0],
    );
  } catch {
    return undefined;
  }
}

/** Some tests give what they start a group of its own, which a signal to theirs would miss. Without /proc, none is found. */
function descendantsOf(id) {
  try {
    const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === id);
    return children.map(Number).flatMap((child) => [child, ...descendantsOf(child)]);
  } catch {
    return [];
  }
}

async function end(leader) {
  const all = [-leader, ...descendantsOf(leader)];
  for (const id of all) tell(id, 'SIGTERM');
  for (let waitedMs = 0; waitedMs < GRACE_MS && all.some((id) => tell(id, 0)); waitedMs += LOOK_EVERY_MS)
    await pause(LOOK_EVERY_MS);
  for (const id of all) tell(id, 'SIGKILL');
}

/**
 * @param {readonly string[]} command
 * @param {object} options
 * @param {Readonly<Record<string, string | undefined>>} options.env
 * @param {string} options.log  file to which the output is appended
 * @param {number} options.limitMs
 * @param {AbortSignal} options.interrupt  ends it before
 * @returns {Promise<{ code: number, seconds: number, isStopped: boolean }>} code is 128 + signal if it was killed; stopped is
 *   what reached its limit
 */
export async function runInGroup([program, ...argv], { env, log, limitMs, interrupt }) {
  const startMs = performance.now();
  const output = openSync(log, 'a');
  const child = spawn(program, argv, { cwd: root, env, stdio: ['ignore', output, output], detached: true });
  closeSync(output);
  const exited = new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(signal === null ? code : 128 + constants.signals[signal]));
  });
  const limit = AbortSignal.timeout(limitMs);
  const over = AbortSignal.any([limit, interrupt]);
  const aborted = over.aborted ? Promise.resolve() : once(over, 'abort');
  const isOver = await Promise.race([exited.then(() => false), aborted.then(() => true)]);
  if (isOver) await end(child.pid);
  const code = await exited;
  return { code, seconds: (performance.now() - startMs) / 1000, isStopped: isOver && limit.aborted };
}

/** Aborted by the first signal that asks this program to end, so that what it started can be ended first. */
export function interruption() {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => controller.abort(signal));
  return controller.signal;
}
