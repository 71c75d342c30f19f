/** Counts processes and threads. Meaningful only in the first process of a pod, which sees exactly those of its pod. */
import { readdirSync, statSync } from 'node:fs';

/** Links of a task directory that are no tasks: itself and its parent. */
const OWN_LINKS = 2;

/** Ids of all visible processes, with those that ended and were not reaped. */
export function processIds(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Threads of all visible processes; a process has at least one. */
export function threadsInAll(): number {
  return processIds().reduce((sum, id) => sum + threadsOf(id), 0);
}

function threadsOf(id: number): number {
  // The kernel counts a directory's entries among its links.
  const facts = statSync(`/proc/${id}/task`, { throwIfNoEntry: false });
  return facts === undefined ? 0 : Math.max(1, facts.nlink - OWN_LINKS);
}
