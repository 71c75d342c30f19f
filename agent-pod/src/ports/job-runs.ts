/** What serves the moments of jobs: runs of the agent, and words to people. */
import type { OwnTimeWait } from '@retainer/mind/gate/budget/budget';
import type { PartRecord } from '@retainer/mind/part/store';
import type { Firing } from '@retainer/mind/parts/jobs/firing';
import type { JobLimits } from '@retainer/mind/parts/jobs/plan-jobs';

/** `Gone`: it is not under way, and nobody will go on with it. */
export type StateOfFiring = 'UnderWay' | 'GivenUp' | 'Gone';

export interface JobRunsPort {
  readonly limits: JobLimits;
  /** False while the agent may begin nothing: it is starting or stopping, or its volume is full. */
  isWorking(): boolean;
  /** The run that a firing becomes: the same for the same firing, however often it is asked. */
  runIdOf(firing: Firing): string;
  /** Accepts its run once, however often it is called. */
  begin(firing: Firing & { readonly runId: string }): Promise<void>;
  stateOf(runId: string): StateOfFiring;
  cancel(runId: string, by: string, reason: string): Promise<void>;
  /** Carries the words of a job to its person: late perhaps, once for each firing. Rejects when aborted. */
  notify(firing: Firing, signal: AbortSignal): Promise<void>;
  /** See `Around`. */
  budgetWait(): OwnTimeWait | undefined;
  /** Milliseconds since 1970. */
  usedAtMs(): number | undefined;
  /** Brings the jobs of the manifest into the record. */
  takeManifest(): Promise<void>;
  /** Jobs that are to be opened because of what code found. */
  followUps(): readonly PartRecord[];
  /** Resolves when the record of jobs, a run or the clock changed, or `atMs` has come. */
  changed(atMs: number | undefined, signal: AbortSignal): Promise<void>;
  /** Whether the record was restored after this moment: what the firing came to may be lost with the machine. */
  wasRestoredAfter(atMs: number): boolean;
  /** When it was; undefined: never. */
  restoredAtMs(): number | undefined;
}
