/** Reads, on the host, the processes of one sandbox. All descend from its first process. */
import { readFile, readdir, readlink, stat } from 'node:fs/promises';

/** Bounds the reading of a fork bomb without a control group. */
const PROCESSES_READ = 4096;

/** Host ids of the first process and its descendants. */
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

/** Memory private to these processes, in bytes; shared libraries do not count. */
export async function privateMemoryBytes(processes: readonly number[]): Promise<number> {
  let sum = 0;
  for (const id of processes) {
    const status = await readFile(`/proc/${String(id)}/status`, 'utf8').catch(() => '');
    sum += Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * KILOBYTE;
  }
  return sum;
}

const BLOCK_BYTES = 512;

/** Disk space of deleted but open files on the device, which no walk over the workspace sees. */
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
