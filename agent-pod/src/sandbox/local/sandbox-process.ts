/**
 * One sandbox while it runs: its output, its time, its end.
 *
 * I1  It ends at the first of: its own end, its time limit, another limit, the caller's signal. All but the first kill the
 *     process namespace, which no process inside can survive or delay.
 * I2  The reader drains all output, so a flood never blocks, and costs no more memory than the limit.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import type { Cgroup } from './cgroup.ts';
import { OutputCapture } from '../output-capture.ts';
import type { RunFiles } from './run-files.ts';

export interface ProcessPlan {
  readonly command: { readonly file: string; readonly args: readonly string[] };
  readonly files: RunFiles;
  readonly cgroup: Cgroup;
  readonly timeoutMs: number;
  readonly outputBytes: number;
}

/** Set when the adapter, not the script, ended the run. */
export interface Stop {
  readonly end: 'TimedOut' | 'Killed';
  readonly reason: string;
}

export interface ProcessEnd {
  /** Undefined when the script never ran, or bubblewrap itself was killed. */
  readonly exitCode: number | undefined;
  readonly wasKilledOutside: boolean;
  readonly stop: Stop | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly droppedBytes: number;
  readonly durationMs: number;
}

/** The reason in a result when the caller's signal ended the run. */
export const CANCELLED_REASON = 'the run was cancelled';

/** Dropped output still costs the agent processor time. Far above the output of any honest script. */
const FLOOD_BYTES = 256 * 1024 * 1024;
/** Time for the kernel to end a process namespace before bubblewrap is killed as well. */
const KILL_GRACE_MS = 1000;
/** Time to read the remaining output after bubblewrap ended, when all writers are dead. */
const DRAIN_MS = 2000;

export class SandboxProcess {
  readonly #plan: ProcessPlan;
  readonly #stdout: OutputCapture;
  readonly #stderr: OutputCapture;
  #child: ChildProcess | undefined;
  #stop: Stop | undefined;

  constructor(plan: ProcessPlan) {
    this.#plan = plan;
    this.#stdout = new OutputCapture(plan.outputBytes);
    this.#stderr = new OutputCapture(plan.outputBytes);
  }

  /** Runs to the end. Called once. Rejects only when the first program cannot be started. */
  async run(signal: AbortSignal): Promise<ProcessEnd> {
    const { command, files, timeoutMs } = this.#plan;
    const startedMs = performance.now();
    const drained = [this.#read(files.outputs.stdout, this.#stdout), this.#read(files.outputs.stderr, this.#stderr)];
    const child = spawn(command.file, command.args, {
      stdio: [...files.given],
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    });
    this.#child = child;
    const ended = once(child, 'exit');
    const timer = setTimeout(
      () => this.stop({ end: 'TimedOut', reason: `the time limit of ${String(timeoutMs)} ms` }),
      timeoutMs,
    );
    const abort = (): void => this.stop({ end: 'Killed', reason: CANCELLED_REASON });
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    try {
      await Promise.all([ended, files.closeGiven()]);
      await within(DRAIN_MS, Promise.all(drained));
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
    return this.#end(performance.now() - startedMs);
  }

  /** Kills everything inside. Only the first reason counts. */
  stop(stop: Stop): void {
    if (this.#stop !== undefined || (this.#child !== undefined && !isRunning(this.#child))) return;
    this.#stop = stop;
    this.#kill();
  }

  #kill(): void {
    const child = this.#child;
    if (child === undefined || !isRunning(child)) return;
    // The id stays valid while bubblewrap, its parent, lives.
    const { firstProcess } = this.#plan.files.status();
    if (firstProcess === undefined || !isSignalled(firstProcess)) child.kill('SIGKILL');
    const timer = setTimeout(() => {
      if (isRunning(child)) child.kill('SIGKILL');
      void this.#plan.cgroup.kill();
    }, KILL_GRACE_MS);
    child.once('exit', () => clearTimeout(timer));
  }

  /** Resolves when every writer has closed its end. */
  async #read(descriptor: number, capture: OutputCapture): Promise<void> {
    const stream = new Socket({ fd: descriptor, readable: true, writable: false });
    const closed = new Promise<void>((resolve) => stream.once('close', () => resolve()));
    stream.on('error', () => stream.destroy());
    stream.on('data', (chunk: Buffer) => {
      capture.add(chunk);
      if (capture.totalBytes > FLOOD_BYTES)
        this.stop({ end: 'Killed', reason: `more than ${String(FLOOD_BYTES)} bytes of output` });
    });
    await closed;
  }

  #end(durationMs: number): ProcessEnd {
    const stdout = this.#stdout.finish();
    const stderr = this.#stderr.finish();
    return {
      exitCode: this.#plan.files.status().exitCode,
      wasKilledOutside: this.#child?.signalCode !== null,
      stop: this.#stop,
      stdout: stdout.text,
      stderr: stderr.text,
      droppedBytes: stdout.droppedBytes + stderr.droppedBytes,
      durationMs,
    };
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

function isSignalled(id: number): boolean {
  try {
    return process.kill(id, 'SIGKILL');
  } catch {
    // It just ended, or may not be signalled. The caller then kills bubblewrap, which takes it along.
    return false;
  }
}

async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
