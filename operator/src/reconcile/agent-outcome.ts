/** The outcome of a pass over an Agent. Pure. */
import type { ChildResult } from '../apply/applier.ts';
import type { References } from '../desired/agent/resolve-references.ts';
import { ApiError } from '@retainer/kube/api-error';
import type { ObservedAgent } from '../observe/observe-agent.ts';
import type { Outcome } from './outcome.ts';

/** Everything that an Agent depends on is watched, so this only repairs what a bug missed. Source: platforms 6. */
const RESYNC_MS = 36_000_000;
/** For people's unwatched objects: strangers with our names, texts of skills, files of workspaces. */
const LOOK_AGAIN_MS = 60_000;
const STARTING_LOOK_MS = 15_000;
/** The operator gets no event when a StorageClass begins to allow larger volumes. */
const STORAGE_LOOK_MS = 300_000;

export const DONE: Outcome = { type: 'Done', resyncAfterMs: RESYNC_MS };

export interface Wait {
  readonly message: string;
  readonly afterMs: number;
}

export interface PassEnd {
  /** Of all children, claims included. */
  readonly results: readonly ChildResult[];
  readonly references: References;
  readonly observed: Pick<ObservedAgent, 'missingConfigMaps'>;
  readonly waits: readonly Wait[];
}

/** Failures that may pass come first, then timed waits, then faults that only a person can correct. */
export function agentOutcome({ results, references, observed, waits }: PassEnd): Outcome {
  const errors = results.flatMap((result) => (result.type === 'Failed' ? [result.error] : []));
  const passing = errors.find((error) => !isRefusal(error));
  if (passing !== undefined) return { type: 'Failed', error: passing };
  const faults = [references.character, references.skills].flatMap((one) => (one.ok ? [] : [one.error]));
  const all: readonly Wait[] = [
    ...waits,
    ...results.flatMap((result) => (result.type === 'NameTaken' ? [wait(result.message, LOOK_AGAIN_MS)] : [])),
    ...faults.flatMap(({ message, isUnwatched }) => (isUnwatched === true ? [wait(message, LOOK_AGAIN_MS)] : [])),
    ...(observed.missingConfigMaps.length > 0
      ? [wait('ConfigMaps of the workspace are missing', STARTING_LOOK_MS)]
      : []),
    ...errors.map((error) => wait(error.message, STORAGE_LOOK_MS)),
  ];
  const [soonest] = all.toSorted((a, b) => a.afterMs - b.afterMs);
  if (soonest !== undefined) return { type: 'Wait', reason: soonest.message, afterMs: soonest.afterMs };
  const [fault] = faults;
  return fault === undefined ? DONE : { type: 'Stalled', reason: fault.reason, message: fault.message };
}

/** The API server repeats the refusal until somebody changes a value, a right, a quota or a class. */
function isRefusal({ cause }: Error): boolean {
  return cause instanceof ApiError && (cause.status === 422 || cause.status === 403);
}

function wait(message: string, afterMs: number): Wait {
  return { message, afterMs };
}
