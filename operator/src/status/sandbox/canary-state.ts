/**
 * The result of the canaries. Judged only from their Jobs and pods, so that a restarted operator has its predecessor's
 * knowledge at once.
 *
 * A proof holds as long as only the operator changes the ground of the namespace. The operator's own changes let code go on,
 * and bring a new proof soon.
 *
 * Only a canary that was reached from outside counts: one without a working network finds everything closed as well.
 */
import { CanaryEnd } from '@retainer/contract/wire/canary';
import type { Canary } from '../../observe/observe-sandbox-canary.ts';
import type { SandboxGround } from '../../observe/observe-sandbox-ground.ts';
import type { SandboxPod } from '../../observe/observe-sandbox-objects.ts';

export type CanaryState =
  | { readonly type: 'Enforced' }
  /** `open`: ids of the forbidden flows that passed. */
  | { readonly type: 'NotEnforced'; readonly open: readonly string[] }
  /** Somebody changed what keeps the namespace closed. `by` names each change, and what to do. */
  | { readonly type: 'Opened'; readonly by: readonly string[] }
  /** `message` says what is missing. */
  | { readonly type: 'Unknown'; readonly message: string };

/** Seconds until another try after one that failed or proved nothing. */
const RETRY_SECONDS = 60;
/** Seconds between two canaries if only the operator's own policies changed: each new Agent brings one. */
const CHANGE_SECONDS = 60;

type Ground = Pick<SandboxGround, 'openedBy' | 'digest'>;

/** The last proof of this ground decides. */
export function canaryState(all: readonly Canary[], ground: Ground): CanaryState {
  if (ground.openedBy.length > 0) return { type: 'Opened', by: ground.openedBy };
  const canaries = all.filter((canary) => canary.ground === ground.digest);
  if (canaries.length === 0 && all.length > 0) return { type: 'Unknown', message: CHANGED };
  const newestFirst = canaries.toSorted((a, b) => b.job.createdAtMs - a.job.createdAtMs);
  for (const canary of newestFirst) {
    const proof = proofOf(canary);
    if (proof !== undefined) return proof;
  }
  // While a new try runs, the last failure stays in the message, so that a try changes no Agent's status.
  return { type: 'Unknown', message: whyUnknown(newestFirst.find(hasEnded) ?? newestFirst[0]) };
}

const CHANGED = 'somebody changed NetworkPolicies or labels of its namespace; a new canary is made';

function proofOf({ pod, targets }: Canary): CanaryState | undefined {
  const end = endOf(pod);
  if (end === undefined) return undefined;
  if (end.open.length > 0) return { type: 'NotEnforced', open: end.open };
  return end.reached && end.tried >= targets && targets > 0 ? { type: 'Enforced' } : undefined;
}

function endOf(pod: SandboxPod | undefined): CanaryEnd | undefined {
  if (pod?.isEnded !== true) return undefined;
  try {
    const parsed = CanaryEnd.safeParse(JSON.parse(pod.terminated?.message ?? ''));
    return parsed.success ? parsed.data : undefined;
  } catch {
    // No JSON: the canary broke and proved nothing.
    return undefined;
  }
}

function hasEnded({ job, pod }: Canary): boolean {
  return job.isEnded || pod?.isEnded === true;
}

function whyUnknown(newest: Canary | undefined): string {
  if (newest === undefined) return 'no canary has run yet';
  if (!hasEnded(newest)) return 'the canary runs; it tries all forbidden network flows';
  if (endOf(newest.pod)?.reached === false)
    return 'the operator could not reach the canary: allow port 7070 from the operator by NetworkPolicy, and check whether pods have a network';
  const { namespace = '' } = newest.job.object.metadata;
  return `the canary ended without a result; see kubectl describe jobs -n ${namespace}`;
}

export type CanaryStep =
  | { readonly type: 'Start' }
  /** The canary waits for a connection. */
  | { readonly type: 'Reach'; readonly endpoint: string }
  | { readonly type: 'Wait'; readonly afterMs: number };

export interface CanaryWorld {
  readonly world: string;
  readonly ground: Ground;
  readonly intervalSeconds: number;
  readonly nowMs: number;
}

/** One canary at a time. */
export function nextCanaryStep(
  all: readonly Canary[],
  { world, ground, intervalSeconds, nowMs }: CanaryWorld,
): CanaryStep {
  // The change that closes the namespace again wakes its pass.
  if (ground.openedBy.length > 0) return { type: 'Wait', afterMs: RETRY_SECONDS * 1000 };
  const canaries = all.filter((canary) => canary.ground === ground.digest);
  const running = canaries.find((canary) => !hasEnded(canary));
  if (running !== undefined) {
    const { pod } = running;
    if (pod?.isReady === true && pod.endpoint !== undefined) return { type: 'Reach', endpoint: pod.endpoint };
    return { type: 'Wait', afterMs: RETRY_SECONDS * 1000 };
  }
  const newest = canaries.toSorted((a, b) => b.job.createdAtMs - a.job.createdAtMs)[0];
  if (newest === undefined) return { type: 'Start' };
  const isProven = proofOf(newest)?.type === 'Enforced';
  const seconds = !isProven ? RETRY_SECONDS : newest.world === world ? intervalSeconds : CHANGE_SECONDS;
  const dueMs = newest.job.createdAtMs + seconds * 1000;
  return nowMs >= dueMs ? { type: 'Start' } : { type: 'Wait', afterMs: dueMs - nowMs };
}

/** Canaries that prove nothing any more; of the ended others, all except the last one and the one that decides the state. */
export function outdatedCanaries(all: readonly Canary[], ground: Ground): readonly Canary[] {
  const isOver = (canary: Canary): boolean => ground.openedBy.length > 0 || canary.ground !== ground.digest;
  return [...all.filter((it) => isOver(it) && !it.job.isBeingDeleted), ...outdatedOf(all.filter((it) => !isOver(it)))];
}

function outdatedOf(canaries: readonly Canary[]): readonly Canary[] {
  const newestFirst = canaries.toSorted((a, b) => b.job.createdAtMs - a.job.createdAtMs);
  const deciding = newestFirst.find((canary) => proofOf(canary) !== undefined);
  const last = newestFirst.find(hasEnded);
  return newestFirst.filter((canary) => {
    const isOver = canary.job.isEnded && !canary.job.isBeingDeleted;
    return isOver && canary !== last && canary !== deciding;
  });
}
