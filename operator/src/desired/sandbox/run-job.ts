/**
 * The Job of one run that found no warm sandbox.
 *
 * Mode Serve has no Service: people reach the ports through the agent's own HTTP, which forwards to the runner's one port at
 * the pod's address. Nobody else may reach a sandbox.
 */
import type { AgentSandbox } from '@retainer/contract/api/agent-sandbox';
import { sandboxChildName } from '@retainer/contract/api/child-names';
import { ANNOTATIONS } from '@retainer/contract/api/names';
import { durationMs } from '@retainer/contract/api/fields';
import type { SandboxRun } from '@retainer/contract/api/sandbox-run';
import { RUNNER_ENV } from '@retainer/contract/wire/runner';
import type { KubeObject } from '@retainer/kube/kube-object';
import type { Settings } from '../../settings/settings.ts';
import { runtimeClassOf } from './runtime-class.ts';
import { agentLabels, runLabels, sandboxLabels, type SandboxOwner } from './sandbox-labels.ts';
import { LISTENING_PATH, RUNNER_PROGRAM, sandboxPodTemplate } from './sandbox-pod.ts';
import { sandboxResources, scratchBytes } from './sandbox-resources.ts';

/** Seconds from a Job's creation to its code's start, for scheduling, a large image and the agent's files. */
export const START_GRACE_SECONDS = 120;
/** Seconds that a finished Job is kept, so that a restarted operator still learns its end. */
export const FINISHED_JOB_SECONDS = 120;

export interface RunJobInput {
  readonly owner: SandboxOwner;
  readonly run: SandboxRun['spec'];
  readonly sandbox: AgentSandbox;
  readonly settings: Settings;
  /** Digest of what keeps its namespace closed: for the next leader, who ends code that began under another one. */
  readonly ground: string;
}

export function timeoutSeconds({ timeout }: { readonly timeout: string }): number {
  return Math.ceil(durationMs(timeout) / 1000);
}

/** Namespace of a run's pod. `judge-run.ts` refuses a root run that has none. */
export function sandboxNamespaceOf(isRoot: boolean, settings: Settings): string {
  return isRoot ? (settings.sandboxRootNamespace ?? settings.sandboxNamespace) : settings.sandboxNamespace;
}

/** Always the same name for the same run, so that a repeated attempt makes nothing twice. */
export function runJobName(owner: SandboxOwner): string {
  return sandboxChildName('run', owner);
}

export function runJob({ owner, run, sandbox, settings, ground }: RunJobInput): KubeObject {
  const name = runJobName(owner);
  const labels = {
    ...sandboxLabels('run', settings),
    ...agentLabels({ namespace: owner.namespace, name: run.agentRef.name }),
    ...runLabels(owner),
  };
  const pod = sandboxPodTemplate(
    {
      identity: name,
      image: sandbox.image ?? settings.images.sandbox,
      program: RUNNER_PROGRAM,
      env: {
        [RUNNER_ENV.claimantKey]: run.runnerPublicKey,
        [RUNNER_ENV.scratchBytes]: String(scratchBytes(sandbox)),
        [RUNNER_ENV.idleSeconds]: String(START_GRACE_SECONDS),
        [RUNNER_ENV.maxRunSeconds]: String(timeoutSeconds(run)),
      },
      resources: sandboxResources(sandbox, run.resources),
      scratchBytes: scratchBytes(sandbox),
      readyPath: LISTENING_PATH,
      isRoot: run.root,
      placement: { ...sandbox, runtimeClassName: runtimeClassOf(sandbox, settings) },
    },
    labels,
    settings,
  );
  return {
    metadata: {
      name,
      namespace: sandboxNamespaceOf(run.root, settings),
      labels,
      annotations: { [ANNOTATIONS.canaryGround]: ground },
    },
    spec: {
      parallelism: 1,
      completions: 1,
      completionMode: 'NonIndexed',
      backoffLimit: 0,
      activeDeadlineSeconds: timeoutSeconds(run) + START_GRACE_SECONDS,
      ttlSecondsAfterFinished: FINISHED_JOB_SECONDS,
      template: pod,
    },
  };
}
