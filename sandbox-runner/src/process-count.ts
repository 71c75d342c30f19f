/** Counts processes and threads. Meaningful only in the first process of a pod, which sees exactly those of its pod. */
import { readdirSync, statSync } from 'node:fs';

/** Entries of a task directory that are no task: itself and its parent. */
const OWN_LINKS = 2;

/** Of all processes that can be seen; those that have ended and were not collected too. */
export function processIds(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Threads of all processes that can be seen; a process has at least one. */
export function threadsInAll(): number {
  return processIds().reduce((sum, id) => sum + threadsOf(id), 0);
}

function threadsOf(id: number): number {
  // The kernel counts a directory's entries among its links.
  const facts = statSync(`/proc/${id}/task`, { throwIfNoEntry: false });
  return facts === undefined ? 0 : Math.max(1, facts.nlink - OWN_LINKS);
}
