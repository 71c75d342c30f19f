/**
 * Runs git on one repository, and lets nothing but this module's own words steer it.
 *
 * I1  No configuration but ours: none of the system, of the user or of the environment; that of the repository is written anew
 *     before each opening (`repository.ts`). No hook, no pager, no editor, no question at a terminal.
 * I2  Nothing secret is in the arguments or in a file: a password goes through a pipe (`secretInput`). In the environment is at most
 *     the grant of a proxy, which git takes from nowhere else.
 * I3  A repository that is only read may have a foreign configuration. So reading uses commands that programs are meant to use
 *     (`rev-list`, `cat-file`, `ls-tree`), whose configuration names no program.
 * I4  Each call has a time limit, and its process ends with it, as do those that it started.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { devNull } from 'node:os';
import path from 'node:path';
import { Duplex, type Readable, type Writable } from 'node:stream';

/**
 * `Missing`: no git on this machine. `Locked`: another process, or one that was killed, left a lock. `NoSpace`: the volume is full.
 * `Diverged`: the branch at the remote has another history, so no later push can succeed.
 */
export type GitFailure = 'Missing' | 'Locked' | 'NoSpace' | 'TimedOut' | 'Diverged' | 'Failed';

export class GitFailedError extends Error {
  override readonly name = 'GitFailedError';
  readonly failure: GitFailure;
  /** The end of what git said; empty if this is not of a call that failed. */
  readonly said: string;

  constructor(failure: GitFailure, message: string, { said = '', ...options }: ErrorOptions & { said?: string } = {}) {
    super(message, options);
    this.failure = failure;
    this.said = said;
  }
}

/** Words of git, which speaks English here. First match. */
const failures: readonly (readonly [RegExp, GitFailure])[] = [
  [/No space left on device|Disk quota exceeded/, 'NoSpace'],
  [/\.lock': File exists|[Uu]nable to create '[^']*\.lock'/, 'Locked'],
];

/** Of `-c`: they win over any file. */
const SETTINGS = [
  'core.fsync=all',
  'core.fsyncMethod=fsync',
  `core.hooksPath=${devNull}`,
  `core.attributesFile=${devNull}`,
  'core.fsmonitor=false',
  'core.logAllRefUpdates=false',
  // Larger files are neither compared with others nor held in memory.
  'core.bigFileThreshold=2m',
  'fastimport.unpackLimit=1',
  'gc.auto=0',
  'maintenance.auto=false',
  // A repack must not need more than a small pod has.
  'pack.threads=1',
  'pack.windowMemory=64m',
  'http.followRedirects=false',
  // Even a repository that says that its objects are elsewhere makes git ask nobody; a push allows its own kind of address.
  'protocol.allow=never',
  'transfer.fsckObjects=true',
];

export interface GitOptions {
  /** Of the call; the process is killed then. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  readonly settings?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** What git and its children find at descriptor 3, once: for the first who reads it, which a setting must name. */
  readonly secretInput?: string | undefined;
}

export type GitProcess = ChildProcessByStdio<Writable, Readable, Readable>;

export interface StartedGit {
  readonly child: GitProcess;
  /** Resolves when it ended well. Rejects with {@link GitFailedError} otherwise; also handled if nobody awaits it. */
  readonly ended: Promise<void>;
}

/** The first commit of a long life, or its restoring, on a slow disk: some 10 GB at 6 MB/s. */
const TIMEOUT_MS = 1_800_000;
/** Kept of standard error. */
const ERROR_CHARACTERS = 2_000;

/** @param repository  the directory itself (`GIT_DIR`) */
export function startGit(repository: string, args: readonly string[], options: GitOptions = {}): StartedGit {
  const { timeoutMs = TIMEOUT_MS, signal } = options;
  const child = spawnGit(repository, args, options);
  let error = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    error = (error + text).slice(-ERROR_CHARACTERS);
  });
  // The process may end before it has read everything; its exit code tells more than EPIPE.
  child.stdin.on('error', () => undefined);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    killGroup(child);
  }, timeoutMs);
  const kill = (): void => killGroup(child);
  signal?.addEventListener('abort', kill, { once: true });
  // A signal that was given before is heard by no listener.
  if (signal?.aborted) kill();
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', (cause: NodeJS.ErrnoException) => reject(notStarted(cause)));
    child.on('close', (code) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', kill);
      if (code === 0) return resolve();
      reject(isLate ? new GitFailedError('TimedOut', `git ${args[0]} took over ${timeoutMs} ms`) : failed(args, error));
    });
  });
  ended.catch(() => undefined);
  return { child, ended };
}

/** Git alone would leave those that it started, such as the one that talks to a remote, and they keep its output open. */
function killGroup({ pid }: GitProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

function spawnGit(repository: string, args: readonly string[], options: GitOptions): GitProcess {
  const { settings = [], environment = {}, secretInput } = options;
  const child = spawn('git', [...[...SETTINGS, ...settings].flatMap((setting) => ['-c', setting]), ...args], {
    cwd: '/',
    // A group of its own, which can be ended as a whole.
    detached: true,
    env: { ...environmentOf(repository), ...environment },
    stdio: ['pipe', 'pipe', 'pipe', ...(secretInput === undefined ? [] : (['pipe'] as const))],
  }) as GitProcess;
  const pipe = child.stdio[SECRET_DESCRIPTOR];
  if (pipe instanceof Duplex) {
    // Git ends without having read it where the remote wants no password.
    pipe.on('error', () => undefined).resume();
    pipe.end(secretInput);
  }
  return child;
}

/** The first one after standard input, output and error. */
export const SECRET_DESCRIPTOR = 3;

/** @returns standard output */
export async function runGit(
  repository: string,
  args: readonly string[],
  { input, ...options }: GitOptions & { readonly input?: string } = {},
): Promise<Buffer> {
  const { child, ended } = startGit(repository, args, options);
  const pieces: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
  child.stdin.end(input ?? '');
  await ended;
  return Buffer.concat(pieces);
}

function environmentOf(directory: string): Record<string, string> {
  // It may be named from where this process was started, which is not where git is.
  const repository = path.resolve(directory);
  return {
    PATH: USUAL_PATH,
    LC_ALL: 'C',
    HOME: devNull,
    XDG_CONFIG_HOME: devNull,
    GIT_DIR: repository,
    // A file `commondir` in the repository would lead elsewhere.
    GIT_COMMON_DIR: repository,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: devNull,
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    GIT_SSH_COMMAND: 'false',
  };
}

/** Where programs are on every system that has our images or a package of git. */
const USUAL_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

function notStarted(cause: NodeJS.ErrnoException): GitFailedError {
  return cause.code === 'ENOENT'
    ? new GitFailedError('Missing', 'the program git is missing: install the package git', { cause })
    : new GitFailedError('Failed', `git cannot be started: ${cause.message}`, { cause });
}

const TOLD_LINES_MAX = 2;

function failed(args: readonly string[], error: string): GitFailedError {
  const failure = failures.find(([words]) => words.test(error))?.[1] ?? 'Failed';
  const lines = error.trim().split('\n');
  // Hints for a person at a terminal follow the cause.
  const causes = lines.filter((line) => /^(?:fatal|error|remote):/.test(line));
  const told = (causes.length > 0 ? causes : lines).slice(-TOLD_LINES_MAX).join(' ');
  const message = `git ${args[0]} failed: ${told === '' ? 'it said nothing' : told}`;
  return new GitFailedError(failure, message, { said: error });
}
