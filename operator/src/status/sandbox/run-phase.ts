/** The phase of a run that has a sandbox. Judged from the observation, never from an earlier status. */
import type { ConditionReason } from '@retainer/contract/api/conditions';
import type { SandboxJob, SandboxPod } from '../../observe/observe-sandbox-objects.ts';
import { imagePullAdvice, isImagePull } from '../agent/image-pull.ts';
import { failedEnd, jobEnd, podEnd, type RunEnd } from './run-end.ts';

export type RunPhase =
  | { readonly type: 'Starting'; readonly reason: ConditionReason<'SandboxRun'>; readonly message: string }
  /** The runner listens. */
  | { readonly type: 'Ready'; readonly pod: SandboxPod; readonly endpoint: string }
  | { readonly type: 'Ended'; readonly end: RunEnd };

/** Seconds after which a missing image or node fails the run: the agent waits for an answer. */
export const IMAGE_SECONDS = 60;
export const UNSCHEDULABLE_SECONDS = 60;
/** Seconds without any pod until the status reports it, and until the run fails. */
export const NO_POD_SECONDS = 20;
export const NO_POD_SECONDS_MAX = 60;
/** Seconds beyond the time limit after which a silent warm sandbox fails the run. */
export const SILENCE_SECONDS = 30;

export interface ColdSandbox {
  readonly job: SandboxJob;
  readonly pod: SandboxPod | undefined;
  readonly nowMs: number;
}

/** Phase of a run with its own Job. */
export function coldPhase({ job, pod, nowMs }: ColdSandbox): RunPhase {
  const ageSeconds = (nowMs - job.createdAtMs) / 1000;
  if (pod?.isEnded === true) return ended(podEnd(pod));
  if (job.failure !== undefined) return ended(jobEnd(job));
  if (job.isEnded || job.isBeingDeleted)
    return ended(failedEnd('InfrastructureFailed', 'the sandbox was removed before it ended; run the code again'));
  if (pod === undefined) return withoutPod(job, ageSeconds);
  return podPhase(pod, ageSeconds);
}

function podPhase(pod: SandboxPod, ageSeconds: number): RunPhase {
  if (pod.isReady && !pod.isBeingDeleted && pod.endpoint !== undefined)
    return { type: 'Ready', pod, endpoint: pod.endpoint };
  if (pod.isUnschedulable)
    return orEnded('Unschedulable', UNSCHEDULABLE, { ageSeconds, limitSeconds: UNSCHEDULABLE_SECONDS });
  if (isImagePull(pod.waiting))
    return orEnded('ImagePullFailed', `${IMAGE}: ${imagePullAdvice(pod.waiting, 'spec.sandbox.image of the Agent')}`, {
      ageSeconds,
      limitSeconds: IMAGE_SECONDS,
    });
  return { type: 'Starting', reason: 'Scheduling', message: 'the sandbox starts' };
}

const UNSCHEDULABLE = 'no node has room for the sandbox; add nodes, or lower spec.sandbox.resources of the Agent';
const IMAGE = 'the image of the sandbox cannot be pulled';

function withoutPod(job: SandboxJob, ageSeconds: number): RunPhase {
  if (ageSeconds < NO_POD_SECONDS) return { type: 'Starting', reason: 'Scheduling', message: 'the sandbox starts' };
  const { namespace = '' } = job.object.metadata;
  const message = `Job ${job.name} gets no pod; perhaps a quota is used up or the RuntimeClass does not exist; see kubectl describe job -n ${namespace} ${job.name}`;
  return orEnded('QuotaExceeded', message, { ageSeconds, limitSeconds: NO_POD_SECONDS_MAX });
}

function orEnded(
  reason: ConditionReason<'SandboxRun'>,
  message: string,
  time: { readonly ageSeconds: number; readonly limitSeconds: number },
): RunPhase {
  return time.ageSeconds < time.limitSeconds
    ? { type: 'Starting', reason, message }
    : ended(failedEnd(reason, message));
}

export interface WarmSandbox {
  readonly pod: SandboxPod;
  readonly claimedAtMs: number;
  readonly timeoutSeconds: number;
  readonly nowMs: number;
}

/** Phase of a run in a warm sandbox. A claimed runner stops being ready but serves until its pod has ended. */
export function warmPhase({ pod, claimedAtMs, timeoutSeconds, nowMs }: WarmSandbox): RunPhase {
  if (pod.isEnded) return ended(podEnd(pod));
  if (nowMs > claimedAtMs + (timeoutSeconds + SILENCE_SECONDS) * 1000)
    return ended(failedEnd('TimedOut', 'the sandbox did not end in time and was removed'));
  return { type: 'Ready', pod, endpoint: pod.endpoint ?? '' };
}

function ended(end: RunEnd): RunPhase {
  return { type: 'Ended', end };
}
