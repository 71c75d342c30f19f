import type { AgentSandbox } from '@retainer/contract/api/agent-sandbox';

export interface ConcurrentMax {
  /** Programs of runs. */
  readonly besideMax: number;
  /** Programs that keep ports open. Absent: the Agent may serve nothing. */
  readonly servedMax?: number;
}

/** More addresses confuse people; each occupies a pod while it serves. */
const SERVED_MAX = 5;

/**
 * How many programs an agent keeps running at the same time. The operator holds it to the same number of sandboxes. A run above it would
 * wait there, and use up the time within which code must start. Serving leaves one sandbox of two or more for runs.
 */
export function concurrentMax({ serve, pool }: Pick<AgentSandbox, 'serve' | 'pool'>): ConcurrentMax {
  const { maxConcurrent } = pool;
  const servedMax = Math.min(Math.max(maxConcurrent - 1, 1), SERVED_MAX);
  return { besideMax: maxConcurrent, ...(serve ? { servedMax } : {}) };
}
