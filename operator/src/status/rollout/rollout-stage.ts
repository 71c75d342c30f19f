/** Where one agent stands in a rollout. Pure. */
import type { ObservedPod, ObservedStatefulSet } from '../../observe/observe-agent-pod.ts';
import { podReady, type SeenPod } from '../agent/pod-ready.ts';
import type { AgentCondition } from '../agent/agent-condition.ts';
import type { RolloutStage } from './plan-rollout.ts';

/** An agent that crashes does so within its first seconds. */
export const PROVEN_AFTER_MS = 10_000;
/** Enough for a second and a third try of the kubelet, or of a registry. */
export const FAILED_AFTER_MS = 30_000;
/** Enough time to attach a large volume elsewhere and to read a long record. */
export const COMING_MS_MAX = 600_000;

/** Reasons for which a new pod may still come up by itself. */
const PATIENT: ReadonlySet<AgentCondition['reason']> = new Set([
  'Starting',
  'Draining',
  'PodNotScheduled',
  'ConfigMapNotFound',
  'LeaseLost',
]);

export interface StagedAgent extends SeenPod {
  readonly statefulSet: ObservedStatefulSet;
  /** It cannot take the release: something that it refers to is missing. */
  readonly isBlocked: boolean;
}

/** @param startedAtMs  of the rollout */
export function rolloutStage(
  observed: StagedAgent,
  { release, startedAtMs, nowMs }: { readonly release: string; readonly startedAtMs: number; readonly nowMs: number },
): RolloutStage {
  const { agent, statefulSet, isBlocked } = observed;
  const mark = statefulSet.rollout;
  if (mark?.release !== release) return { type: isBlocked || !works(observed) ? 'Resting' : 'Waiting' };
  const { sinceMs } = mark;
  const isSilent = sinceMs === undefined || sinceMs < startedAtMs || agent.spec.suspend;
  return isSilent ? { type: 'Silent' } : judged(observed, sinceMs, nowMs);
}

function judged(observed: StagedAgent, sinceMs: number, nowMs: number): RolloutStage {
  const { agent, statefulSet, pod } = observed;
  const fresh = pod !== undefined && isNew(pod, statefulSet) ? pod : undefined;
  if (fresh?.isReady === true) return proven(fresh, sinceMs, nowMs);
  const { reason, message } = podReady(observed, nowMs).condition;
  const drainMs = agent.spec.pod.terminationGracePeriodSeconds * 1000;
  const untilMs =
    fresh === undefined || PATIENT.has(reason)
      ? sinceMs + drainMs + COMING_MS_MAX
      : Math.max(sinceMs, fresh.unreadySinceMs ?? sinceMs) + FAILED_AFTER_MS;
  if (nowMs < untilMs) return { type: 'Coming', changesAtMs: untilMs };
  return { type: 'Failed', reason, message, before: statefulSet.rollout?.before };
}

/** Whether a restart would interrupt it. */
export function works({ agent, pod }: Pick<SeenPod, 'agent' | 'pod'>): boolean {
  return pod?.isReady === true && !agent.spec.suspend;
}

function isNew(pod: ObservedPod, { isObserved, updateRevision }: ObservedStatefulSet): boolean {
  return isObserved && pod.revision === updateRevision && !pod.isBeingDeleted;
}

function proven({ readySinceMs }: ObservedPod, sinceMs: number, nowMs: number): RolloutStage {
  const provenAtMs = Math.max(readySinceMs ?? sinceMs, sinceMs) + PROVEN_AFTER_MS;
  return nowMs >= provenAtMs ? { type: 'Ready' } : { type: 'Coming', changesAtMs: provenAtMs };
}
