/**
 * The code while it runs: its output, its time, its end.
 *
 * I1  The run ends at the first of: the code's own end, its time, a limit, a stop. Then the runner kills everything that the
 *     code started. As the first process of a pod it kills all others at once, which none can survive, delay or outrun.
 * I2  Output is always read to its end, so a flood never blocks, and costs no more memory than its limit.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventLog } from './event-log.ts';
import type { Launch } from './launch.ts';
import { memoryKills } from './memory-kills.ts';
import { endCause, type EndCause, type Stop } from './run-end.ts';
import { threadsInAll } from './process-count.ts';
import { LOOK_EVERY_MS, scratchExcess } from './scratch-use.ts';

export interface CodePlan {
  readonly launch: Launch;
  readonly stdin: string;
  readonly workDirectory: string;
  readonly tmpDirectory: string;
  readonly scratchBytes: number;
  /** Processes and threads: the code's own share, and the share with the runner's own, which is the limit of the pod. */
  readonly processes: { readonly ownMax: number; readonly allMax: number };
  readonly timeoutMs: number;
  readonly log: EventLog;
}

/** Dropping output costs processor time, too: seconds of half a core for so much, which no honest program says. */
const FLOOD_BYTES_MIN = 67_108_864;
/** Factor on the kept bytes of a stream, from which on its output is a flood. */
const FLOOD_FACTOR = 4;
/** A process inside a kernel call dies when the call returns; the run is over by then at the latest. */
const KILL_GRACE_MS = 3000;
/** Interval of counting. For this long a sandbox may exceed its share of its user's processes on the node. */
const COUNT_EVERY_MS = 100;
/** All writers are dead when this begins; the rest of their output is read within this time. */
const DRAIN_MS = 2000;

export class CodeProcess {
  readonly #plan: CodePlan;
  readonly #ended = new AbortController();
  #child: ChildProcess | undefined;
  #stop: Stop | undefined;
  #giveUp: () => void = () => undefined;

  constructor(plan: CodePlan) {
    this.#plan = plan;
  }

  /** Runs the code to its end. Call it once; rejects only when not even a shell can be started. */
  async run(): Promise<EndCause> {
    const { launch, timeoutMs, workDirectory, scratchBytes, log } = this.#plan;
    const killsBefore = await memoryKills();
    const child = spawn(launch.file, launch.args, {
      cwd: workDirectory,
      env: launch.env,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child = child;
    const { stdin, stdout, stderr } = child;
    const givenUp = new Promise<void>((resolve) => {
      this.#giveUp = resolve;
    });
    const exited = once(child, 'exit');
    log.start();
    const drained = Promise.all([this.#read('stdout', stdout), this.#read('stderr', stderr)]);
    // Code that ignores its input closes it early.
    stdin.on('error', () => undefined);
    stdin.end(this.#plan.stdin);
    if (this.#stop !== undefined) this.#kill();
    const timer = setTimeout(
      () => this.stop({ end: 'TimedOut', reason: `the time limit of ${timeoutMs} ms` }),
      timeoutMs,
    );
    void this.#watchScratch();
    void this.#watchProcesses();
    try {
      await Promise.race([exited, givenUp]);
    } finally {
      clearTimeout(timer);
      this.#ended.abort();
    }
    this.#killAll(child);
    await Promise.race([drained, sleep(DRAIN_MS)]);
    stdout.destroy();
    stderr.destroy();
    return endCause({
      exitCode: child.exitCode ?? undefined,
      signal: child.signalCode ?? undefined,
      stop: this.#stop,
      memoryKills: (await memoryKills()) - killsBefore,
      scratchBytes,
    });
  }

  /** Kills everything. Only the first reason counts; a reason after the end is ignored. */
  stop(stop: Stop): void {
    if (this.#stop !== undefined || this.#ended.signal.aborted) return;
    this.#stop = stop;
    this.#kill();
  }

  #kill(): void {
    if (this.#child === undefined) return;
    this.#killAll(this.#child);
    setTimeout(() => this.#giveUp(), KILL_GRACE_MS).unref();
  }

  #killAll(child: ChildProcess): void {
    if (child.pid === undefined) return;
    try {
      // A runner that is not the first process of a pod has no right to kill processes that it did not start.
      process.kill(process.pid === 1 ? -1 : -child.pid, 'SIGKILL');
    } catch {
      // No process is left.
    }
  }

  async #read(stream: 'stdout' | 'stderr', source: NodeJS.ReadableStream): Promise<void> {
    const { log } = this.#plan;
    const floodBytes = Math.max(FLOOD_BYTES_MIN, FLOOD_FACTOR * log.outputBytesMax);
    source.on('data', (chunk: Buffer) => {
      log.add(stream, chunk);
      if (log.totalBytes > floodBytes) this.stop({ end: 'Killed', reason: `more than ${floodBytes} bytes of output` });
    });
    source.on('error', () => undefined);
    await once(source, 'close');
  }

  async #watchScratch(): Promise<void> {
    const { workDirectory, tmpDirectory, scratchBytes } = this.#plan;
    const { signal } = this.#ended;
    while (!signal.aborted) {
      // What cannot be counted cannot be bounded.
      const excess = await scratchExcess([workDirectory, tmpDirectory], scratchBytes).catch(
        () => 'its files could not be counted',
      );
      if (excess !== undefined) this.stop({ end: 'Killed', reason: excess });
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** The kernel counts the processes of all sandboxes of one user on a node; the first process of a pod sees those of its own. */
  async #watchProcesses(): Promise<void> {
    if (process.pid !== 1) return;
    const { ownMax, allMax } = this.#plan.processes;
    const { signal } = this.#ended;
    while (!signal.aborted) {
      if (threadsInAll() > allMax) this.stop({ end: 'Killed', reason: `more than ${ownMax} processes and threads` });
      await sleep(COUNT_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
