/** The canaries of one namespace of sandboxes, as the caches have them. */
import { ANNOTATIONS, LABELS } from '@retainer/contract/api/names';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import type { Caches } from '../watch/caches.ts';
import { sandboxJob, sandboxPod, type SandboxJob, type SandboxPod } from './observe-sandbox-objects.ts';

export interface Canary {
  readonly job: SandboxJob;
  readonly pod: SandboxPod | undefined;
  /** Number of flows that it tries. */
  readonly targets: number;
  /** Digest of what the operator itself may change under its proof. */
  readonly world: string;
  /** Digest of what nobody else may change under its proof. */
  readonly ground: string;
}

export function isCanary({ metadata }: KubeObject): boolean {
  return metadata.labels?.[LABELS.canary] === 'true';
}

/** Index over Jobs and pods: canaries by their namespace. */
export const CANARY_INDEXES = { jobs: 'canaryJobs', pods: 'canaryPods' } as const;

export function observedCanaries(caches: Caches, namespace: string): readonly Canary[] {
  const jobs = caches.inSandboxes(resources.jobs).byIndex(CANARY_INDEXES.jobs, namespace);
  const pods = caches.inSandboxes(resources.pods).byIndex(CANARY_INDEXES.pods, namespace);
  return jobs.map((job) => {
    const pod = pods.find(({ metadata }) => metadata.labels?.[LABELS.instance] === job.metadata.name);
    const notes = job.metadata.annotations ?? {};
    return {
      job: sandboxJob(job),
      pod: pod === undefined ? undefined : sandboxPod(pod),
      targets: Number(notes[ANNOTATIONS.canaryTargets] ?? 0),
      world: notes[ANNOTATIONS.canaryWorld] ?? '',
      ground: notes[ANNOTATIONS.canaryGround] ?? '',
    };
  });
}
