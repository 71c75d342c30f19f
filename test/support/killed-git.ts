/**
 * Ends programs of git at any of their system calls: every program of git that {@link BackupProcess} starts goes through a line of
 * shell that is mounted over it, for that process and what it starts alone.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { BackupProcess } from './backup-process.ts';

/** Where a git finds the programs that it starts itself. */
const PROGRAMS = ['/usr/bin/git', '/usr/lib/git-core/git', '/usr/lib/git-core/git-remote-http'];

/** A system call, as strace names one: for each name, it counts by itself, from 1. */
export interface SystemCall {
  readonly name: string;
  readonly nth: number;
}

export interface StartedProgram {
  /** Of its first word that is no setting. */
  readonly name: string;
  /** In the order in which it made them. */
  readonly calls: readonly SystemCall[];
}

/** @returns undefined where it can be done */
export function whyNoKilledGit(): string | undefined {
  if (spawnSync('strace', ['-V']).status !== 0) return 'needs the package strace';
  const unshared = spawnSync('unshare', ['--map-root-user', '--mount', 'true']);
  return unshared.status === 0 ? undefined : `no mount namespace here: ${String(unshared.stderr)}`;
}

export class KilledGit {
  readonly #directory: string;
  /** That is to be ended. */
  #start = 0;

  /** @param directory  new */
  constructor(directory: string) {
    this.#directory = directory;
    for (const path of PROGRAMS.map((program) => this.#real(program))) {
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, '');
    }
    mkdirSync(join(directory, 'traces'));
    writeFileSync(join(directory, 'wrapper'), this.#wrapper(), { mode: 0o755 });
    chmodSync(join(directory, 'wrapper'), 0o755);
    this.spare();
  }

  /** A process whose git can be ended. */
  async process(dataDirectory: string): Promise<BackupProcess> {
    const mounts = PROGRAMS.flatMap((program) => [
      `mount --bind ${program} ${this.#real(program)}`,
      `mount --bind ${this.#directory}/wrapper ${program}`,
    ]);
    const script = [...mounts, 'exec "$@"'].join(' && ');
    const child = new BackupProcess(dataDirectory, [
      ...['unshare', '--map-root-user', '--mount', 'sh', '-c', script, 'sh'],
    ]);
    return await child.ready();
  }

  /** From now on, none is ended. */
  spare(): void {
    this.#plan('none');
  }

  /** From now on, the system calls of each are counted. */
  count(): void {
    for (const name of readdirSync(join(this.#directory, 'traces'))) writeFileSync(this.#trace(name), '');
    this.#plan('count');
  }

  /** What has run since {@link count}, in the order of the starts. */
  counted(): readonly StartedProgram[] {
    const starts = readFileSync(join(this.#directory, 'starts'), 'utf8').trimEnd().split('\n');
    return starts.map((name, index) => {
      const trace = readFileSync(this.#trace(String(index + 1)), 'latin1');
      return { name, calls: callsOf(trace, /^(\w+)\(/) };
    });
  }

  /** From now on, a program is ended at its call. @param start  its place among all that are started, from 1 */
  kill(start: number, { name, nth }: SystemCall): void {
    this.#plan(`kill ${start} ${name} ${nth}`, start);
  }

  /** What became of the program that {@link kill} meant. @returns undefined while that is not told yet */
  end(): 'Killed' | 'Exited' | 'NotStarted' | undefined {
    const starts = readFileSync(join(this.#directory, 'starts'), 'utf8').split('\n').length - 1;
    if (starts < this.#start) return 'NotStarted';
    const end = /\+\+\+ (killed|exited)/.exec(readFileSync(join(this.#directory, 'death'), 'latin1'));
    if (end === null) return undefined;
    return end[1] === 'killed' ? 'Killed' : 'Exited';
  }

  /** One more line for each start, so the count begins anew. */
  #plan(words: string, start = 0): void {
    this.#start = start;
    for (const name of ['starts', 'death']) writeFileSync(join(this.#directory, name), '');
    writeFileSync(join(this.#directory, 'plan'), `${words}\n`);
  }

  #trace(name: string): string {
    return join(this.#directory, 'traces', name);
  }

  /** The same name, for git looks at it. */
  #real(program: string): string {
    return join(this.#directory, program.startsWith('/usr/bin') ? 'bin' : 'core', basename(program));
  }

  #wrapper(): string {
    const here = this.#directory;
    return `#!/bin/sh
case "$0" in /usr/bin/git) real=${here}/bin/git;; *) real=${here}/core/\${0##*/};; esac
name() { while [ "$1" = -c ]; do shift 2; done; echo "$1"; }
case "$0" in */git) name "$@";; *) echo "\${0##*/}";; esac >>${here}/starts
starts=$(wc -l <${here}/starts)
read -r what start call nth <${here}/plan
if [ "$what" = count ]; then exec strace -qq -o ${here}/traces/$starts "$real" "$@"; fi
if [ "$what" = kill ] && [ "$start" = "$starts" ]; then
  exec strace -D -q -o ${here}/death -e "inject=$call:signal=SIGKILL:when=$nth" "$real" "$@"
fi
exec "$real" "$@"
`;
  }
}

function callsOf(trace: string, pattern: RegExp): readonly SystemCall[] {
  const times = new Map<string, number>();
  return trace.split('\n').flatMap((line) => {
    const name = pattern.exec(line)?.[1];
    // This one is made on the way to the program, or is its end.
    if (name === undefined || name === 'execve' || name === 'exit_group') return [];
    const nth = (times.get(name) ?? 0) + 1;
    times.set(name, nth);
    return [{ name, nth }];
  });
}

/** Ends a process at that system call of one of its threads, from now on. @returns when it watches */
export async function killAtCall(
  pid: number,
  { name, nth }: SystemCall,
): Promise<{ readonly stop: () => Promise<void> }> {
  const end = await watch(pid, ['-o', '/dev/null', '-e', `inject=${name}:signal=SIGKILL:when=${nth}`]);
  // It may wait for ever for threads of what it has killed.
  return { stop: () => end('SIGKILL') };
}

/** Counts the system calls of the first thread of a process from now on. @param trace  a file */
export async function countCalls(
  pid: number,
  trace: string,
): Promise<{ readonly stop: () => Promise<readonly SystemCall[]> }> {
  const end = await watch(pid, ['-o', trace]);
  return {
    stop: async () => {
      await end('SIGINT');
      return callsOf(readFileSync(trace, 'latin1'), new RegExp(`^${pid} +(\\w+)\\(`));
    },
  };
}

/** All threads, and no program that is started by one. */
async function watch(pid: number, args: readonly string[]): Promise<(signal: NodeJS.Signals) => Promise<void>> {
  const strace = spawn('strace', ['-f', '-b', 'execve', ...args, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => strace.on('close', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    strace.stderr.setEncoding('utf8').on('data', (text: string) => text.includes('attached') && resolve());
    strace.on('close', () => reject(new Error('strace cannot watch the process')));
  });
  return async (signal) => {
    strace.kill(signal);
    await ended;
  };
}
