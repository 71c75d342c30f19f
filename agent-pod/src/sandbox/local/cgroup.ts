/**
 * One control group per run, if this machine allows it: memory, processes and processor time, version 1 or 2.
 *
 * An unusable controller is no error: `controllers` lists the usable ones, and resource limits per process and `LimitWatch`
 * cover the rest. The run removes its group; a later start sweeps the groups of a killed agent.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, readdir, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CgroupPlace, Controller } from './cgroup-place.ts';

export interface CgroupLimits {
  readonly memoryBytes: number;
  readonly processes: number;
}

const NAME_PREFIX = 'retainer-sandbox-';

/** bubblewrap outside and its first process inside. */
const OWN_PROCESSES = 2;
const CPU_PERIOD_MICROSECONDS = 100_000;
/** The agent and its journal need the other processors. */
const CPU_CORES = 1;
const cpuQuota = String(CPU_CORES * CPU_PERIOD_MICROSECONDS);

/** A file to write; `optional` if some kernels lack it. */
interface Setting {
  readonly file: string;
  readonly value: string;
  readonly optional?: true;
}

function settings(version: 1 | 2, controller: Controller, limits: CgroupLimits): readonly Setting[] {
  const memory = String(limits.memoryBytes);
  const processes = String(limits.processes + OWN_PROCESSES);
  const table: Readonly<Record<`${Controller}${1 | 2}`, readonly Setting[]>> = {
    memory1: [
      { file: 'memory.limit_in_bytes', value: memory },
      { file: 'memory.memsw.limit_in_bytes', value: memory, optional: true },
    ],
    memory2: [
      { file: 'memory.max', value: memory },
      { file: 'memory.swap.max', value: '0', optional: true },
      { file: 'memory.oom.group', value: '1', optional: true },
    ],
    pids1: [{ file: 'pids.max', value: processes }],
    pids2: [{ file: 'pids.max', value: processes }],
    cpu1: [
      { file: 'cpu.cfs_period_us', value: String(CPU_PERIOD_MICROSECONDS) },
      { file: 'cpu.cfs_quota_us', value: cpuQuota },
    ],
    cpu2: [{ file: 'cpu.max', value: `${cpuQuota} ${String(CPU_PERIOD_MICROSECONDS)}` }],
  };
  return table[`${controller}${version}`];
}

interface Group {
  readonly version: 1 | 2;
  readonly directory: string;
  readonly controllers: readonly Controller[];
}

/** The group of one run, over all hierarchies. */
export class Cgroup {
  readonly #groups: readonly Group[];

  private constructor(groups: readonly Group[]) {
    this.#groups = groups;
  }

  /** Never rejects: without a place the group is empty and limits nothing. */
  static async create(places: readonly CgroupPlace[], limits: CgroupLimits): Promise<Cgroup> {
    // The agent's process id is for people who inspect the machine.
    const name = `${NAME_PREFIX}${String(process.pid)}-${randomUUID()}`;
    const groups: Group[] = [];
    for (const place of places) {
      const missing = place.controllers.filter(
        (controller) => !groups.some((group) => group.controllers.includes(controller)),
      );
      const group =
        missing.length === 0 ? undefined : await createGroup({ ...place, controllers: missing }, name, limits);
      if (group !== undefined) groups.push(group);
    }
    return new Cgroup(groups);
  }

  get controllers(): readonly Controller[] {
    return this.#groups.flatMap((group) => group.controllers);
  }

  /** Files to which a process writes its id to enter. */
  get entries(): readonly string[] {
    return this.#groups.map((group) => join(group.directory, 'cgroup.procs'));
  }

  async memoryKills(): Promise<number> {
    return this.#count('memory', { 1: 'memory.oom_control', 2: 'memory.events' }, 'oom_kill');
  }

  async processRefusals(): Promise<number> {
    return this.#count('pids', { 1: 'pids.events', 2: 'pids.events' }, 'max');
  }

  /** Kills remaining processes; normally there are none. */
  async kill(): Promise<void> {
    for (const entry of this.entries) {
      const ids = await readFile(entry, 'utf8').catch(() => '');
      for (const id of ids.split('\n').filter((line) => line !== '')) killQuietly(Number(id));
    }
  }

  /** Gives up after {@link REMOVE_ATTEMPTS} tries; a later start then sweeps the group. */
  async remove(): Promise<void> {
    for (const group of this.#groups) await removeGroup(group.directory);
  }

  async #count(controller: Controller, files: Readonly<Record<1 | 2, string>>, key: string): Promise<number> {
    const group = this.#groups.find(({ controllers }) => controllers.includes(controller));
    if (group === undefined) return 0;
    const text = await readFile(join(group.directory, files[group.version]), 'utf8').catch(() => '');
    const line = text.split('\n').find((candidate) => candidate.startsWith(`${key} `));
    return Number(line?.slice(key.length + 1) ?? 0);
  }
}

/** Another agent on this machine may be about to put the first process into a younger group. */
const SWEEP_AFTER_MS = 60_000;

/** Removes empty groups of killed agents. The kernel keeps groups that still have processes. */
export async function sweepCgroups(places: readonly CgroupPlace[], nowMs: number): Promise<void> {
  for (const { directory } of places) {
    const names = await readdir(directory).catch(() => []);
    for (const name of names.filter((candidate) => candidate.startsWith(NAME_PREFIX))) {
      const facts = await stat(join(directory, name)).catch(() => undefined);
      if (facts !== undefined && facts.mtimeMs < nowMs - SWEEP_AFTER_MS) {
        await rmdir(join(directory, name)).catch(() => undefined);
      }
    }
  }
}

async function createGroup(place: CgroupPlace, name: string, limits: CgroupLimits): Promise<Group | undefined> {
  const directory = join(place.directory, name);
  const isMade = await mkdir(directory).then(
    () => true,
    () => false,
  );
  if (!isMade) return undefined;
  const controllers: Controller[] = [];
  for (const controller of place.controllers) {
    if (await areWritten(directory, settings(place.version, controller, limits))) controllers.push(controller);
  }
  if (controllers.length > 0) return { version: place.version, directory, controllers };
  await removeGroup(directory);
  return undefined;
}

async function areWritten(directory: string, list: readonly Setting[]): Promise<boolean> {
  for (const { file, value, optional } of list) {
    // `r+` creates no file: a missing controller must not become an ordinary file.
    const isWritten = await writeFile(join(directory, file), value, { flag: 'r+' }).then(
      () => true,
      () => optional === true,
    );
    if (!isWritten) return false;
  }
  return true;
}

/** Processes leave their group a moment after they die. */
const REMOVE_ATTEMPTS = 100;
const REMOVE_PAUSE_MS = 20;

async function removeGroup(directory: string): Promise<void> {
  for (let attempt = 0; attempt < REMOVE_ATTEMPTS; attempt += 1) {
    const isGone = await rmdir(directory).then(
      () => true,
      (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT',
    );
    if (isGone) return;
    await new Promise((resolve) => setTimeout(resolve, REMOVE_PAUSE_MS));
  }
}

function killQuietly(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // It died before the signal.
  }
}
