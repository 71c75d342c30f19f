/** What an agent can ask of its own record and state. It reads; nothing that it answers changes a cycle, a gate or a threshold. */
import type { DaySummary } from '@retainer/mind/explain/audit/day-summary';
import type { StoredCase } from '@retainer/mind/parts/cases/cases';
import type { RememberedRun } from '@retainer/mind/parts/narrative/narrative';
import type { LabelledThread } from '@retainer/mind/parts/threads/threads';
import type { CycleNode } from '@retainer/mind/projections/cycle-nodes';
import type { MeasuredOf } from '@retainer/mind/self/activity';
import type { Asking } from '@retainer/mind/self/cycles';
import type { Traced } from '@retainer/mind/self/remembered';

export interface SelfPort {
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** So many of the newest runs that have an entry, oldest first; without forgotten and imported ones. */
  runs(count: number): Promise<readonly RememberedRun[]>;
  /** Trees of so many of the newest runs and of those under way; of the asking cycle, up to the call. */
  trees(asking: Asking, runs: number): Promise<readonly CycleNode[]>;
  /** @param day  UTC, `YYYY-MM-DD`; absent: today */
  day(asking: Asking, day?: string): Promise<DaySummary>;
  /** In the order of their beginning. */
  threads(): readonly LabelledThread[];
  /** Best first. */
  cases(query: string, count: number): Promise<readonly StoredCase[]>;
  /** The newest runs that were told a case. */
  runsTold(): ReadonlySet<string>;
  /** Every record about one remembered thing, oldest first. */
  trace(id: string): Promise<readonly Traced[]>;
  /** Oldest first. */
  affect(count: number): Promise<readonly MeasuredOf[]>;
  /** State and situation at this moment, in words of code alone; undefined: the cycle is not under way. */
  now(cycleId: string): string | undefined;
}
