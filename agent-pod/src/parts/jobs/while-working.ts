/** A component that looks at the record while the agent works, and waits while it may begin nothing. */
import type { Clock } from '@retainer/contract/std/clock';
import type { JobRunsPort } from '../../ports/job-runs.ts';

/** While nothing can be written: a look costs nothing, and a full volume is cleared by a person. */
const STANDSTILL_LOOK_MS = 1_000;

interface Working {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly jobs: Pick<JobRunsPort, 'isWorking'>;
  readonly signal: AbortSignal;
}

/** @param pass  does what is due, and then waits until something may be */
export async function whileWorking({ clock, jobs, signal }: Working, pass: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    try {
      if (jobs.isWorking()) await pass();
      else await clock.sleep(STANDSTILL_LOOK_MS, signal);
    } catch (error) {
      // A standstill may begin between the look and the write: what was not written is due at the next look.
      if (!signal.aborted && jobs.isWorking()) throw error;
    }
  }
}
