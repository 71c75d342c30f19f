/** The condition AwaitingModel of a Task: that no model can be asked, since when, why, and when it is tried next. Pure. */
import type { Condition } from '@retainer/contract/api/conditions';
import { parkedSentence, type Parked } from '@retainer/mind/request/parked';

type Awaiting = Omit<Condition, 'lastTransitionTime' | 'observedGeneration'> & { readonly atMs: number };

export interface ModelWait {
  /** Of the cycle that is tried next. Absent: the run waits for no provider. */
  readonly parked?: Parked;
  /** End of the last such wait, milliseconds since 1970. Absent: there was none. */
  readonly unparkedAtMs?: number;
}

/** Absent until the first call has waited. */
export function awaitingModel({ parked, unparkedAtMs }: ModelWait): Awaiting | undefined {
  const type = 'AwaitingModel';
  if (parked !== undefined) {
    const message = `${parkedSentence(parked)}; the run's clock stands still; spec.cancel ends the Task`;
    return { type, status: 'True', reason: 'ModelOutOfReach', message, atMs: parked.sinceMs };
  }
  if (unparkedAtMs === undefined) return undefined;
  return { type, status: 'False', reason: 'Running', message: 'no call waits for its model', atMs: unparkedAtMs };
}
