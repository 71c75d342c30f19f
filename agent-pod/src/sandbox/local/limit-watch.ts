/**
 * Enforces limits that the kernel does not: the growth of a workspace and, without a memory group, the memory of all
 * processes together. Also detects at once that the kernel killed a process for lack of memory.
 *
 * Reading the volume's free space is cheap and happens often. Counting the workspace is expensive and happens when the free
 * space fell, and from time to time.
 */
import { execFile } from 'node:child_process';
import { stat, statfs } from 'node:fs/promises';
import type { Cgroup } from './cgroup.ts';
import { deletedFileBytes, privateMemoryBytes, sandboxProcesses } from './sandbox-processes.ts';

export interface WatchedLimits {
  readonly memoryBytes: number;
  readonly workspaceGrowthBytes: number;
  readonly workspaceGrowthFiles: number;
}

export interface Watched {
  readonly workspace: string;
  readonly du: string;
  readonly cgroup: Cgroup;
  readonly limits: WatchedLimits;
  /** Host id of the sandbox's first process, once known. */
  readonly firstProcess: () => number | undefined;
}

/** A fast disk writes about 100 MB in this time: the most by which a limit can be exceeded. */
const LOOK_EVERY_MS = 100;
/** Detects slow growth that other deletions hide in the free space. */
const COUNT_EVERY_LOOKS = 50;
/** Fall of free space that triggers counting, as a share of the limit. */
const SUSPICIOUS_SHARE = 0.25;
/** Reserved for the journal on the same volume. */
const FREE_BYTES_MIN = 64 * 1024 * 1024;

interface Usage {
  readonly bytes: number;
  readonly files: number;
}

interface Volume {
  readonly freeBytes: number;
  readonly freeFiles: number;
}

export class LimitWatch {
  readonly #watched: Watched;
  #start: Usage = { bytes: 0, files: 0 };
  #startVolume: Volume = { freeBytes: 0, freeFiles: 0 };
  #lastVolume: Volume = { freeBytes: 0, freeFiles: 0 };
  #looks = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  /** Records the state before the script. Await it before the sandbox starts. */
  async prepare(): Promise<void> {
    this.#start = await this.#usage();
    this.#startVolume = await readVolume(this.#watched.workspace);
    this.#lastVolume = this.#startVolume;
  }

  /** Calls `onExceeded` at most once, with the limit in words. Always call {@link stop} at the end. */
  start(onExceeded: (reason: string) => void): void {
    this.#timer = setTimeout(() => {
      this.#look().then(
        (reason) => {
          if (this.#isStopped) return;
          if (reason === undefined) this.start(onExceeded);
          else onExceeded(reason);
        },
        () => {
          // An unwatched run would be unlimited.
          if (!this.#isStopped) onExceeded('its limits could not be watched');
        },
      );
    }, LOOK_EVERY_MS);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<string | undefined> {
    return (await this.#memoryReason()) ?? (await this.#workspaceReason());
  }

  async #memoryReason(): Promise<string | undefined> {
    const { cgroup, limits } = this.#watched;
    if (cgroup.controllers.includes('memory'))
      return (await cgroup.memoryKills()) > 0 ? memoryReason(limits.memoryBytes) : undefined;
    const bytes = await privateMemoryBytes(await this.#processes());
    return bytes > limits.memoryBytes ? memoryReason(limits.memoryBytes) : undefined;
  }

  async #workspaceReason(): Promise<string | undefined> {
    const { workspace, limits } = this.#watched;
    const volume = await readVolume(workspace);
    if (volume.freeBytes < FREE_BYTES_MIN && this.#startVolume.freeBytes >= FREE_BYTES_MIN)
      return 'the volume of the workspace is almost full';
    this.#looks += 1;
    const isSuspicious =
      this.#lastVolume.freeBytes - volume.freeBytes > limits.workspaceGrowthBytes * SUSPICIOUS_SHARE ||
      this.#lastVolume.freeFiles - volume.freeFiles > limits.workspaceGrowthFiles * SUSPICIOUS_SHARE;
    if (!isSuspicious && this.#looks % COUNT_EVERY_LOOKS !== 0) return undefined;
    this.#lastVolume = volume;
    return this.#growthReason();
  }

  async #growthReason(): Promise<string | undefined> {
    const { workspace, limits } = this.#watched;
    const usage = await this.#usage();
    const { dev } = await stat(workspace);
    const hiddenBytes = await deletedFileBytes(await this.#processes(), dev);
    if (usage.files - this.#start.files > limits.workspaceGrowthFiles)
      return `more than ${String(limits.workspaceGrowthFiles)} files added to the workspace`;
    if (usage.bytes + hiddenBytes - this.#start.bytes > limits.workspaceGrowthBytes)
      return `more than ${String(limits.workspaceGrowthBytes)} bytes added to the workspace`;
    return undefined;
  }

  #processes(): Promise<readonly number[]> {
    const first = this.#watched.firstProcess();
    return first === undefined ? Promise.resolve([]) : sandboxProcesses(first);
  }

  async #usage(): Promise<Usage> {
    const { du, workspace } = this.#watched;
    const [bytes, files] = await Promise.all([count(du, ['-B1'], workspace), count(du, ['--inodes'], workspace)]);
    return { bytes, files };
  }
}

export function memoryReason(memoryBytes: number): string {
  return `the memory limit of ${String(memoryBytes)} bytes`;
}

async function readVolume(path: string): Promise<Volume> {
  const { bavail, bsize, ffree } = await statfs(path);
  return { freeBytes: bavail * bsize, freeFiles: ffree };
}

/** `du` fails when files vanish meanwhile, but still prints the sum. */
function count(du: string, options: readonly string[], directory: string): Promise<number> {
  return new Promise((resolve, reject) => {
    execFile(du, ['-s', '-x', ...options, '--', directory], { encoding: 'utf8', env: {} }, (error, stdout) => {
      const sum = /^(\d+)\t/.exec(stdout)?.[1];
      if (sum === undefined) reject(error ?? new Error(`${du} gave no sum for ${directory}`));
      else resolve(Number(sum));
    });
  });
}
