/**
 * The end of a run, from the runner's report if there is one, else from Kubernetes. Bounded: it contains no output of the code
 * and no text of a person.
 */
import type { ConditionReason } from '@retainer/contract/api/conditions';
import { RunnerEnd } from '@retainer/contract/wire/runner';
import type { SandboxJob, SandboxPod } from '../../observe/observe-sandbox-objects.ts';

export interface RunEnd {
  /** The code ran to its end, whatever its exit code. */
  readonly isComplete: boolean;
  readonly reason: ConditionReason<'SandboxRun'>;
  readonly message: string;
  readonly exitCode?: number | undefined;
  readonly truncated?: boolean | undefined;
  readonly durationSeconds?: number | undefined;
  /** RFC 3339; absent if Kubernetes does not report it. */
  readonly finishedAt?: string | undefined;
  /** Its agent has all of it and ended the sandbox: nobody reads this end. */
  readonly isReleased?: boolean;
}

/** Longest message that is parsed: the runner's own is far shorter. */
const MESSAGE_LENGTH_MAX = 4096;
/** An exit code is 0 to 255, or -1 if a signal ended the code. */
const EXIT_CODE_MAX = 255;

export function failedEnd(reason: RunEnd['reason'], message: string): RunEnd {
  return { isComplete: false, reason, message };
}

/** The end of a run whose pod has no process left. */
export function podEnd(pod: SandboxPod): RunEnd {
  const finishedAt = pod.terminated?.finishedAt;
  const word = runnerWord(pod);
  // A drain of the node may have stopped the runner; then the drain is the reason.
  const end =
    word === undefined || (pod.isDisrupted && word.end === 'Stopped') ? kubernetesEnd(pod) : runnerEnd(word, pod);
  // Code could write the runner's last word, but not let it end well: of a sandbox that broke, people learn the end.
  const isReleased = word?.released === true && pod.terminated?.reason === COMPLETED;
  return { ...end, ...(finishedAt === undefined ? {} : { finishedAt }), ...(isReleased ? { isReleased } : {}) };
}

/** The kubelet's word for a program that ended with 0. */
const COMPLETED = 'Completed';

export function jobEnd(job: SandboxJob): RunEnd {
  return job.failure === 'DeadlineExceeded'
    ? failedEnd('TimedOut', 'the sandbox reached its deadline and was killed')
    : failedEnd('InfrastructureFailed', 'the sandbox ended without a result; run the code again');
}

function runnerWord({ terminated }: SandboxPod): RunnerEnd | undefined {
  const text = terminated?.message ?? '';
  if (text === '' || text.length > MESSAGE_LENGTH_MAX) return undefined;
  try {
    const parsed = RunnerEnd.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    // No JSON: unknown text of a broken process, which must not be repeated.
    return undefined;
  }
}

function runnerEnd(word: RunnerEnd, pod: SandboxPod): RunEnd {
  const measured = {
    truncated: word.truncated,
    durationSeconds: word.durationMs / 1000,
    ...(word.exitCode === undefined ? {} : { exitCode: boundedCode(word.exitCode) }),
  };
  switch (word.end) {
    case 'Exited':
      return {
        isComplete: true,
        reason: 'Exited',
        message: `the code ended with exit code ${measured.exitCode ?? 0}`,
        ...measured,
      };
    case 'TimedOut':
      return { ...failedEnd('TimedOut', 'the code reached its time limit and was killed'), ...measured };
    case 'Killed':
      return { ...killed(word, pod), ...measured };
    case 'Stopped':
      return { ...failedEnd('Cancelled', 'the agent stopped the code'), ...measured };
    case 'NotClaimed':
      return failedEnd('Cancelled', 'nobody used the sandbox in time');
  }
}

function killed(word: RunnerEnd, pod: SandboxPod): RunEnd {
  if (pod.terminated?.reason === 'OOMKilled') return failedEnd('OutOfMemory', OUT_OF_MEMORY);
  if (word.truncated) return failedEnd('OutputLimitReached', 'the code printed too much and was killed');
  return failedEnd('Killed', 'the code reached a limit and was killed');
}

const OUT_OF_MEMORY =
  'the code used more memory than its limit; raise spec.sandbox.resources of the Agent, or use less memory';

const KUBERNETES_REASONS: Readonly<Record<string, RunEnd>> = {
  Evicted: failedEnd(
    'Evicted',
    'the node evicted the sandbox, because it used too much or the node ran out of a resource',
  ),
  Preempting: failedEnd('Evicted', 'the node evicted the sandbox for a pod of higher priority'),
  NodeShutdown: failedEnd('Evicted', 'the node was shut down'),
  Terminated: failedEnd('Evicted', 'the node was shut down'),
  DeadlineExceeded: failedEnd('TimedOut', 'the sandbox reached its deadline and was killed'),
  OOMKilled: failedEnd('OutOfMemory', OUT_OF_MEMORY),
};

function kubernetesEnd(pod: SandboxPod): RunEnd {
  const byReason = [pod.endReason, pod.terminated?.reason].flatMap((reason) => {
    const known = reason === undefined ? undefined : KUBERNETES_REASONS[reason];
    return known === undefined ? [] : [known];
  });
  if (byReason[0] !== undefined) return byReason[0];
  if (pod.isDisrupted) return failedEnd('Evicted', 'the sandbox was evicted from its node');
  return failedEnd('InfrastructureFailed', 'the runner ended without a result; run the code again');
}

function boundedCode(code: number): number {
  return code < 0 ? -1 : Math.min(code, EXIT_CODE_MAX);
}
