/** The whole status of a SandboxRun, all of which the operator owns. */
import type { ConditionReason } from '@retainer/contract/api/conditions';
import type { SandboxRun } from '@retainer/contract/api/sandbox-run';
import type { RunEnd } from './run-end.ts';

export interface RunCondition {
  readonly type: 'Ready' | 'Scheduled' | 'Complete' | 'Failed';
  readonly status: 'True' | 'False';
  readonly reason: Reason;
  readonly message: string;
}

/** Conditions and every further field; `undefined` for an absent one. */
export interface RunStatus {
  readonly conditions: readonly RunCondition[];
  readonly fields: Readonly<Record<string, unknown>>;
}

type Status = NonNullable<SandboxRun['status']>;
type Reason = ConditionReason<'SandboxRun'>;

/** The run's sandbox: written once, kept to the end. */
export type Binding = Pick<
  Status,
  'endpoint' | 'podName' | 'podUid' | 'claim' | 'networkDigest' | 'egress' | 'startedAt'
>;

/** The run has no sandbox yet, or its sandbox does not listen yet. */
export function waitingStatus(reason: Reason, message: string, generation: number | undefined): RunStatus {
  return patch([ready('False', reason, message), scheduled('False', reason, message)], {}, generation);
}

/** The runner listens and waits for its claimant. */
export function readyStatus(
  binding: Binding,
  mode: SandboxRun['spec']['mode'],
  generation: number | undefined,
): RunStatus {
  const reason = mode === 'Serve' ? 'Serving' : 'Running';
  return patch(
    [
      ready('True', reason, 'the sandbox belongs to this run; the agent reaches it at status.endpoint'),
      scheduled('True', 'Scheduled', 'the sandbox has a pod'),
    ],
    binding,
    generation,
  );
}

/** @param given  the binding, empty for a run that never got a sandbox; `now` as RFC 3339 */
export function endedStatus(
  end: RunEnd,
  given: { readonly binding: Binding; readonly now: string },
  generation: number | undefined,
): RunStatus {
  const finishedAt = end.finishedAt ?? given.now;
  const hadPod = given.binding.podUid !== undefined;
  return patch(
    [
      // Ready with the end, since a run that is complete waits for nothing.
      ready(end.isComplete ? 'True' : 'False', end.reason, end.message),
      hadPod
        ? scheduled('True', 'Scheduled', 'the sandbox has a pod')
        : scheduled('False', end.reason, 'no sandbox became ready for it'),
      { type: end.isComplete ? 'Complete' : 'Failed', status: 'True', reason: end.reason, message: end.message },
    ],
    {
      ...given.binding,
      exitCode: end.exitCode,
      truncated: end.truncated,
      durationSeconds: end.durationSeconds,
      reason: end.reason,
      startedAt: given.binding.startedAt,
      finishedAt,
    },
    generation,
  );
}

const FIELDS = [
  'endpoint',
  'podName',
  'podUid',
  'claim',
  'networkDigest',
  'egress',
  'exitCode',
  'truncated',
  'durationSeconds',
  'reason',
  'startedAt',
  'finishedAt',
] as const satisfies readonly (keyof Status)[];

function patch(
  conditions: readonly RunCondition[],
  fields: Partial<Status>,
  generation: number | undefined,
): RunStatus {
  return {
    conditions,
    fields: {
      observedGeneration: generation,
      ...Object.fromEntries(FIELDS.map((field) => [field, fields[field]])),
    },
  };
}

function ready(status: RunCondition['status'], reason: Reason, message: string): RunCondition {
  return { type: 'Ready', status, reason, message };
}

function scheduled(status: RunCondition['status'], reason: Reason, message: string): RunCondition {
  return { type: 'Scheduled', status, reason, message };
}
