/** An agent that did nothing yet, as its tools of self-observation ask for it. */
import type { SelfPort } from '@retainer/agent-pod/ports/self';
import { emptyDay } from '@retainer/mind/explain/audit/day-summary';

/** @param parts  what it did after all */
export function observed(parts: Partial<SelfPort>): SelfPort {
  return {
    nowMs: () => Date.UTC(2030, 0, 1),
    runs: () => Promise.resolve([]),
    trees: () => Promise.resolve([]),
    day: (_, day = '2030-01-01') => Promise.resolve(emptyDay(day)),
    threads: () => [],
    cases: () => Promise.resolve([]),
    runsTold: () => new Set(),
    trace: () => Promise.resolve([]),
    affect: () => Promise.resolve([]),
    now: () => undefined,
    ...parts,
  };
}
