/** What the Job controller does that sandboxes depend on: pods up to the parallelism, new ones for those that ended, an end. */
import type { Clock } from '@retainer/contract/std/clock';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import type { FakeApiServer } from '../fake-api-server/fake-api-server.ts';
import { memberAt, textAt, type StoredObject } from '../fake-api-server/json.ts';
import { timeText } from '../fake-api-server/writes.ts';

/** One pass over all Jobs. */
export function tickJobs(server: FakeApiServer, clock: Clock): void {
  for (const job of server.list(resources.jobs))
    if (job.metadata.deletionTimestamp === undefined) tickJob(server, clock, job);
}

function number(value: unknown, path: string, fallback: number): number {
  const found = memberAt(value, path);
  return typeof found === 'number' ? found : fallback;
}

interface Counts {
  readonly active: readonly StoredObject[];
  readonly succeeded: number;
  readonly failed: number;
}

function tickJob(server: FakeApiServer, clock: Clock, job: StoredObject): void {
  if (endedAtMs(job) !== undefined) return expire(server, clock, job);
  const pods = podsOf(server, job);
  const counts: Counts = {
    active: pods.filter((pod) => !isEnded(pod)),
    succeeded: pods.filter((pod) => textAt(pod, 'status.phase') === 'Succeeded').length,
    failed: pods.filter((pod) => textAt(pod, 'status.phase') === 'Failed').length,
  };
  const completions = number(job, 'spec.completions', 1);
  const limitSeconds = memberAt(job, 'spec.activeDeadlineSeconds');
  const ageMs = clock.nowMs() - Date.parse(job.metadata.creationTimestamp ?? '');
  if (typeof limitSeconds === 'number' && ageMs > limitSeconds * 1000) {
    for (const { metadata } of counts.active)
      server.remove(resources.pods, { namespace: metadata.namespace ?? '', name: metadata.name }, {});
    return report(server, clock, job, { counts, end: { type: 'Failed', reason: 'DeadlineExceeded' } });
  }
  if (counts.failed > number(job, 'spec.backoffLimit', 6))
    return report(server, clock, job, { counts, end: { type: 'Failed', reason: 'BackoffLimitExceeded' } });
  if (counts.succeeded >= completions) return report(server, clock, job, { counts, end: { type: 'Complete' } });
  const missing = Math.min(number(job, 'spec.parallelism', 1), completions - counts.succeeded) - counts.active.length;
  for (let n = 0; n < missing; n += 1) server.put(resources.pods, podOf(job, pods.length + n));
  return report(server, clock, job, {
    counts: { ...counts, active: podsOf(server, job).filter((pod) => !isEnded(pod)) },
  });
}

function podsOf(server: FakeApiServer, job: StoredObject): readonly StoredObject[] {
  return server
    .list(resources.pods, job.metadata.namespace)
    .filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === job.metadata.uid) === true);
}

function isEnded(pod: KubeObject): boolean {
  return ['Succeeded', 'Failed'].includes(textAt(pod, 'status.phase'));
}

function podOf(job: StoredObject, number: number): KubeObject {
  const { namespace = '', name, uid } = job.metadata;
  const template = memberAt(job, 'spec.template') as KubeObject;
  return {
    metadata: {
      name: `${name}-${number}`,
      namespace,
      labels: { ...template.metadata.labels, 'batch.kubernetes.io/job-name': name },
      annotations: template.metadata.annotations ?? {},
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true }],
    },
    spec: template['spec'],
  };
}

interface Report {
  readonly counts: Counts;
  readonly end?: { readonly type: 'Complete' | 'Failed'; readonly reason?: string };
}

function report(server: FakeApiServer, clock: Clock, job: StoredObject, { counts, end }: Report): void {
  const at = timeText(clock.nowMs());
  server.putStatus(resources.jobs, {
    ...job,
    status: {
      startTime: textAt(job, 'status.startTime') || at,
      active: end === undefined ? counts.active.length : 0,
      ready: counts.active.filter((pod) => textAt(pod, 'status.phase') === 'Running').length,
      succeeded: counts.succeeded,
      failed: counts.failed,
      ...(end === undefined ? {} : { conditions: [{ ...end, status: 'True', lastTransitionTime: at }] }),
    },
  });
}

function endedAtMs(job: KubeObject): number | undefined {
  const conditions = (memberAt(job, 'status.conditions') ?? []) as readonly { readonly lastTransitionTime: string }[];
  const [end] = conditions;
  return end === undefined ? undefined : Date.parse(end.lastTransitionTime);
}

function expire(server: FakeApiServer, clock: Clock, job: StoredObject): void {
  const seconds = memberAt(job, 'spec.ttlSecondsAfterFinished');
  const endMs = endedAtMs(job) ?? Number.POSITIVE_INFINITY;
  if (typeof seconds !== 'number' || clock.nowMs() < endMs + seconds * 1000) return;
  const { namespace = '', name } = job.metadata;
  server.remove(resources.jobs, { namespace, name }, { propagationPolicy: 'Background' });
}
