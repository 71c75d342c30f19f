/** How many processes in this pod the kernel has killed because memory was used up. */
import { readFile } from 'node:fs/promises';

/** Control groups of version 2 and 1, as a container sees its own. */
const FILES = ['/sys/fs/cgroup/memory.events', '/sys/fs/cgroup/memory/memory.oom_control'] as const;

/** 0 where no control group tells. */
export async function memoryKills(): Promise<number> {
  for (const file of FILES) {
    const text = await readFile(file, 'utf8').catch(() => '');
    const count = /^oom_kill (\d+)$/m.exec(text)?.[1];
    if (count !== undefined) return Number(count);
  }
  return 0;
}
