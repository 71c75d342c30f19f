/** A real runner as a process of its own on loopback, with directories of its own. Not the first process of anything. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { RunnerConfig } from '../../sandbox-runner/src/config.ts';
import { repositoryRoot } from './repository-files.ts';

export interface RunnerProcess {
  readonly port: number;
  readonly child: ChildProcess;
  readonly workDirectory: string;
  readonly tmpDirectory: string;
  /** What it left for the operator. */
  termination(): Promise<unknown>;
  /** Its exit code, once it has ended. */
  readonly ended: Promise<number | null>;
  /** Ends it, and what it runs. */
  end(): Promise<void>;
}

/** A runner kills its code at once, and gives whoever reads its output 3 s. */
const endMsMax = 10_000;

const entry = fileURLToPath(new URL('runner-process-main.mjs', import.meta.url));

/**
 * @param directory  exists and is the caller's to remove
 * @param uid        as this user, and as the first process of a pid namespace of its own; needs root
 */
export async function startRunnerProcess(
  directory: string,
  config: Partial<RunnerConfig>,
  uid?: number,
): Promise<RunnerProcess> {
  const root = await realpath(directory);
  const workDirectory = join(root, 'workspace');
  const tmpDirectory = join(root, 'tmp');
  const terminationLog = join(root, 'termination-log');
  await mkdir(workDirectory);
  await mkdir(tmpDirectory);
  const whole: RunnerConfig = {
    podUid: 'pod-uid',
    scratchBytes: 64 * 1024 * 1024,
    idleMs: 60_000,
    maxRunMs: 60_000,
    host: '127.0.0.1',
    port: 0,
    workDirectory,
    tmpDirectory,
    terminationLog,
    ...config,
  };
  if (uid !== undefined) for (const path of [workDirectory, tmpDirectory]) await chown(path, uid, uid);
  const args = [entry, JSON.stringify(whole)];
  const prefix = uid === undefined ? [] : isolation(uid);
  const [file = '', ...rest] = [...prefix, process.execPath, ...args];
  const child = spawn(file, rest, {
    cwd: repositoryRoot,
    env: { ...process.env, TMPDIR: tmpDirectory },
    stdio: ['ignore', 'pipe', 'inherit'],
    // Of a namespace the first process is a child of the one started here, and is killed with it as a group.
    detached: uid !== undefined,
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const lines = createInterface({ input: child.stdout });
  const [line] = (await once(lines, 'line')) as [string];
  return {
    port: Number(line),
    child,
    workDirectory,
    tmpDirectory,
    termination: async () => JSON.parse(await readFile(terminationLog, 'utf8')) as unknown,
    ended,
    end: async () => {
      if (uid === undefined) await endGently(child, ended);
      else if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
      await ended;
    },
  };
}

/** Its code has a session of its own: nothing but the runner would end it. */
async function endGently(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), endMsMax);
  await ended;
  clearTimeout(late);
}

function isolation(uid: number): readonly string[] {
  return [
    ...['unshare', '--pid', '--fork', '--kill-child', '--mount-proc', '--'],
    ...['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--bounding-set=-all', '--inh-caps=-all'],
    '--no-new-privs',
  ];
}
