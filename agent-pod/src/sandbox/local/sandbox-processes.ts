/** What the host sees of the processes inside one sandbox. Every one of them descends from the sandbox's first process. */
import { readFile, readdir, readlink, stat } from 'node:fs/promises';

/** A fork bomb without a control group may have any number; more than this is reason enough to stop. */
const PROCESSES_READ = 4096;

/** The ids, on the host, of the first process and all its descendants. */
export async function sandboxProcesses(firstProcess: number): Promise<readonly number[]> {
  const found = [firstProcess];
  for (let index = 0; index < found.length && found.length < PROCESSES_READ; index += 1) {
    const threads = await readdir(`/proc/${String(found[index])}/task`).catch(() => []);
    for (const thread of threads) {
      const children = await readFile(`/proc/${String(found[index])}/task/${thread}/children`, 'utf8').catch(() => '');
      found.push(
        ...children
          .split(' ')
          .filter((id) => id !== '')
          .map(Number),
      );
    }
  }
  return found;
}

const KILOBYTE = 1024;

/** Memory that belongs to these processes alone, in bytes; shared libraries do not count. */
export async function privateMemoryBytes(processes: readonly number[]): Promise<number> {
  let sum = 0;
  for (const id of processes) {
    const status = await readFile(`/proc/${String(id)}/status`, 'utf8').catch(() => '');
    sum += Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * KILOBYTE;
  }
  return sum;
}

const BLOCK_BYTES = 512;

/** Disk space of deleted files that are still open, which no walk over the workspace can see, on the given device. */
export async function deletedFileBytes(processes: readonly number[], device: number): Promise<number> {
  const sizes = new Map<number, number>();
  for (const id of processes) {
    const names = await readdir(`/proc/${String(id)}/fd`).catch(() => []);
    for (const name of names) {
      const path = `/proc/${String(id)}/fd/${name}`;
      const target = await readlink(path).catch(() => '');
      if (!target.endsWith(' (deleted)')) continue;
      const facts = await stat(path).catch(() => undefined);
      if (facts?.dev === device) sizes.set(facts.ino, facts.blocks * BLOCK_BYTES);
    }
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}
