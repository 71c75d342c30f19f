/** What scheduler and kubelet do with pods, one step at each tick: a node, then a start, and an end once they are deleted. */
import type { Clock } from '@retainer/contract/std/clock';
import { ANNOTATIONS, LABELS } from '@retainer/contract/api/names';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import type { FakeApiServer } from '../fake-api-server/fake-api-server.ts';
import { memberAt, textAt, type Json, type StoredObject } from '../fake-api-server/json.ts';
import { timeText } from '../fake-api-server/writes.ts';

/** Addresses of this machine where nobody listens. */
const ADDRESS_PREFIX = '127.77.0.';

/** One pass over all pods. */
export function tickPods(server: FakeApiServer, clock: Clock): void {
  for (const pod of server.list(resources.pods)) tickPod(server, clock, pod);
}

function tickPod(server: FakeApiServer, clock: Clock, pod: StoredObject): void {
  const { namespace = '', name, deletionTimestamp } = pod.metadata;
  if (deletionTimestamp !== undefined) return server.remove(resources.pods, { namespace, name });
  if (memberAt(pod, 'spec.nodeName') === undefined) return schedule(server, pod);
  const phase = textAt(pod, 'status.phase');
  if (phase === 'Pending' && JSON.stringify(pod['spec']).includes(NO_IMAGE)) {
    if (memberAt(pod, 'status.containerStatuses') === undefined) waitForImage(server, clock, pod);
    return;
  }
  if (phase === 'Pending') return start(server, clock, pod);
  if (phase === 'Running' && pod.metadata.labels?.[LABELS.canary] === 'true') endCanary(server, clock, pod);
}

function schedule(server: FakeApiServer, pod: StoredObject): void {
  server.put(resources.pods, {
    ...pod,
    spec: { ...(pod['spec'] as Json), nodeName: 'node-1' },
    status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True' }] },
  });
}

function containerStatuses(pod: KubeObject, state: Json, isReady: boolean): readonly Json[] {
  const containers = (memberAt(pod, 'spec.containers') ?? []) as readonly Json[];
  return containers.map(({ name }) => ({ name, ready: isReady, started: isReady, restartCount: 0, state }));
}

/** No registry has an image whose name contains this. */
export const NO_IMAGE = 'no-such-image';

function waitForImage(server: FakeApiServer, clock: Clock, pod: StoredObject): void {
  const conditions = [
    { type: 'PodScheduled', status: 'True' },
    { type: 'Ready', status: 'False', lastTransitionTime: timeText(clock.nowMs()) },
  ];
  const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image' };
  const status = { phase: 'Pending', conditions, containerStatuses: containerStatuses(pod, { waiting }, false) };
  server.putStatus(resources.pods, { ...pod, status });
}

function start(server: FakeApiServer, clock: Clock, pod: StoredObject): void {
  const startedAt = timeText(clock.nowMs());
  server.putStatus(resources.pods, {
    ...pod,
    status: {
      phase: 'Running',
      podIP: `${ADDRESS_PREFIX}${(pod.metadata.name.length % 200) + 1}`,
      startTime: startedAt,
      conditions: [
        { type: 'PodScheduled', status: 'True' },
        { type: 'Ready', status: 'True' },
      ],
      containerStatuses: containerStatuses(pod, { running: { startedAt } }, true),
    },
  });
}

/** Ends the one container of a pod with what it leaves as its last word. */
export function endPod(server: FakeApiServer, clock: Clock, pod: StoredObject, message: string): void {
  const terminated = { exitCode: 0, reason: 'Completed', message, finishedAt: timeText(clock.nowMs()) };
  server.putStatus(resources.pods, {
    ...pod,
    status: {
      ...(pod['status'] as Json),
      phase: 'Succeeded',
      conditions: [
        { type: 'PodScheduled', status: 'True' },
        { type: 'Ready', status: 'False' },
      ],
      containerStatuses: containerStatuses(pod, { terminated }, false),
    },
  });
}

/** Says that nothing is open, as a canary under working policies does. */
function endCanary(server: FakeApiServer, clock: Clock, pod: StoredObject): void {
  const job = pod.metadata.ownerReferences?.[0]?.name ?? '';
  const owner = server.get(resources.jobs, { namespace: pod.metadata.namespace ?? '', name: job });
  const tried = Number(owner?.metadata.annotations?.[ANNOTATIONS.canaryTargets] ?? 0);
  endPod(server, clock, pod, JSON.stringify({ open: [], tried, reached: true }));
}
