/**
 * The warm sandboxes of one Agent: one Job that makes a new runner for each one that ends, so that the operator claims one
 * without a write. A Job is never changed: another template gives another Job. So does the next generation, because a Job
 * keeps every pod that it ever had.
 */
import type { AgentSandbox } from '@retainer/contract/api/agent-sandbox';
import { sandboxChildName } from '@retainer/contract/api/child-names';
import { ANNOTATIONS, LABELS } from '@retainer/contract/api/names';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { sha256Hex } from '@retainer/contract/std/hash';
import { RUNNER_ENV, RUNNER_PATHS } from '@retainer/contract/wire/runner';
import type { KubeObject } from '@retainer/kube/kube-object';
import type { Settings } from '../../settings/settings.ts';
import { runtimeClassOf } from './runtime-class.ts';
import { agentLabels, sandboxLabels, type SandboxOwner } from './sandbox-labels.ts';
import { FINISHED_JOB_SECONDS, START_GRACE_SECONDS, timeoutSeconds } from './run-job.ts';
import { RUNNER_PROGRAM, sandboxPodTemplate } from './sandbox-pod.ts';
import { sandboxResources, scratchBytes } from './sandbox-resources.ts';

/** Seconds that a runner waits for a claim before it makes room for a fresh one. */
export const IDLE_SECONDS = 14_400;
/** Seconds before that end in which a runner is not claimed any more: the claim has to reach it. */
export const IDLE_MARGIN_SECONDS = 120;
/** Finished pods of one generation: then comes the next, and the old Job goes with what it kept. */
export const GENERATION_PODS = 100;
/** Never reached: the Job is there to replace. Source: Kubernetes, largest numbers that a Job takes. */
const COMPLETIONS = 1_000_000;
const BACKOFF_LIMIT = 2_147_483_647;
/** A claimed runner is not ready any more, so nobody takes it for a free one. */
const UNCLAIMED_PATH = `${RUNNER_PATHS.health}?unclaimed`;

export interface PoolInput {
  readonly owner: SandboxOwner;
  readonly sandbox: AgentSandbox;
  readonly settings: Settings;
  /** The operator's public key, which a runner believes. */
  readonly operatorKey: string;
}

/** Digest of all that the pods of this pool have in common. */
export function poolTemplateDigest(input: PoolInput): string {
  return sha256Hex(canonicalJson({ size: input.sandbox.pool.size, pod: template(input, {}) }));
}

/** @param generation  from 0; the next one when this one has kept enough finished pods */
export function poolJob(input: PoolInput, generation: number): KubeObject {
  const { owner, sandbox, settings } = input;
  const digest = poolTemplateDigest(input);
  const name = sandboxChildName('pool', { ...owner, uid: `${owner.uid}/${digest}/${generation}` });
  const labels = { ...sandboxLabels('pool', settings), ...agentLabels(owner), [LABELS.sandboxPool]: name };
  return {
    metadata: {
      name,
      namespace: settings.sandboxNamespace,
      labels,
      annotations: { [ANNOTATIONS.poolTemplate]: digest, [ANNOTATIONS.poolGeneration]: String(generation) },
    },
    spec: {
      parallelism: sandbox.pool.size,
      completions: COMPLETIONS,
      completionMode: 'NonIndexed',
      backoffLimit: BACKOFF_LIMIT,
      ttlSecondsAfterFinished: FINISHED_JOB_SECONDS,
      template: template(input, labels),
    },
  };
}

/** All pods of a pool have one user, and those of earlier templates that runs still hold; user namespaces tell them apart. */
function userSandboxes({ pool }: AgentSandbox, { hasUserNamespaces }: Settings): number {
  return hasUserNamespaces ? 1 : pool.size + pool.maxConcurrent;
}

function template({ owner, sandbox, settings, operatorKey }: PoolInput, labels: Record<string, string>): object {
  const runSeconds = timeoutSeconds(sandbox);
  return sandboxPodTemplate(
    {
      identity: sandboxChildName('pool', owner),
      image: sandbox.image ?? settings.images.sandbox,
      program: RUNNER_PROGRAM,
      env: {
        [RUNNER_ENV.operatorKey]: operatorKey,
        [RUNNER_ENV.scratchBytes]: String(scratchBytes(sandbox)),
        [RUNNER_ENV.idleSeconds]: String(IDLE_SECONDS),
        [RUNNER_ENV.maxRunSeconds]: String(runSeconds),
        [RUNNER_ENV.userSandboxes]: String(userSandboxes(sandbox, settings)),
      },
      resources: sandboxResources(sandbox),
      scratchBytes: scratchBytes(sandbox),
      readyPath: UNCLAIMED_PATH,
      isRoot: false,
      placement: { ...sandbox, runtimeClassName: runtimeClassOf(sandbox, settings) },
      activeDeadlineSeconds: IDLE_SECONDS + runSeconds + START_GRACE_SECONDS,
    },
    labels,
    settings,
  );
}
