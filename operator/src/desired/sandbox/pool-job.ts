/**
 * The warm sandboxes of one Agent: one Job that makes a new runner for each that ends, so that a claim needs no write. A Job
 * never changes: another template means another Job. So does the next generation, because a Job keeps all its pods.
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

/** Seconds that a runner waits for a claim before a fresh one replaces it. */
export const IDLE_SECONDS = 14_400;
/** A runner this close to that end gets no claim, because the claim might not reach it in time. */
export const IDLE_MARGIN_SECONDS = 120;
/** Finished pods of one generation. Then the next one replaces its Job, and the kept pods go with it. */
export const GENERATION_PODS = 100;
/** Out of reach, so that the Job goes on replacing pods. Source: Kubernetes, largest numbers that a Job takes. */
const COMPLETIONS = 1_000_000;
const BACKOFF_LIMIT = 2_147_483_647;
/** A claimed runner stops being ready, so that it does not look free. */
const UNCLAIMED_PATH = `${RUNNER_PATHS.health}?unclaimed`;

export interface PoolInput {
  readonly owner: SandboxOwner;
  readonly sandbox: AgentSandbox;
  readonly settings: Settings;
  /** The operator's public key, which a runner trusts. */
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

/** Pods of a pool, and held pods of its earlier templates, share one user unless user namespaces separate them. */
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
