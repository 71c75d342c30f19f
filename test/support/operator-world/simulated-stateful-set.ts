/** What the StatefulSet controller does that an agent depends on: claims that stay, one pod, one revision after another. */
import { sha256Hex } from '@retainer/contract/std/hash';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { keyOf, type KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import type { FakeApiServer } from '../fake-api-server/fake-api-server.ts';
import { memberAt, textAt, type Json, type StoredObject } from '../fake-api-server/json.ts';

const REVISION_LABEL = 'controller-revision-hash';
const REVISION_DIGITS = 10;

/** One pass over all StatefulSets. */
export function tickStatefulSets(server: FakeApiServer): void {
  for (const set of server.list(resources.statefulSets)) tickStatefulSet(server, set);
}

function tickStatefulSet(server: FakeApiServer, set: StoredObject): void {
  if (set.metadata.deletionTimestamp !== undefined) return;
  const { namespace = '', name } = set.metadata;
  const revision = `${name}-${sha256Hex(canonicalJson(memberAt(set, 'spec.template'))).slice(0, REVISION_DIGITS)}`;
  const isWanted = memberAt(set, 'spec.replicas') !== 0;
  const key = { namespace, name: `${name}-0` };
  const pod = server.get(resources.pods, key);
  if (pod === undefined && isWanted) {
    for (const template of claimTemplates(set)) claim(server, template, { namespace, podName: key.name });
    server.put(resources.pods, podOf(set, key.name, revision));
  } else if (pod !== undefined) {
    if (pod.metadata.ownerReferences?.[0]?.uid !== set.metadata.uid) return;
    if (!isWanted || mustBeReplaced(pod, revision)) stop(server, pod);
  }
  report(server, set, { revision, pod: server.get(resources.pods, key) });
}

function mustBeReplaced(pod: StoredObject, revision: string): boolean {
  const isEnded = ['Failed', 'Succeeded'].includes(textAt(pod, 'status.phase'));
  return isEnded || pod.metadata.labels?.[REVISION_LABEL] !== revision;
}

function stop(server: FakeApiServer, pod: StoredObject): void {
  if (pod.metadata.deletionTimestamp === undefined) server.remove(resources.pods, keyOf(pod), {});
}

function claimTemplates(set: KubeObject): readonly KubeObject[] {
  return (memberAt(set, 'spec.volumeClaimTemplates') ?? []) as readonly KubeObject[];
}

function claim(
  server: FakeApiServer,
  template: KubeObject,
  { namespace, podName }: { readonly namespace: string; readonly podName: string },
): void {
  const name = `${template.metadata.name}-${podName}`;
  if (server.get(resources.claims, { namespace, name }) !== undefined) return;
  server.put(resources.claims, {
    metadata: { ...template.metadata, name, namespace },
    spec: template['spec'],
    status: { phase: 'Bound', capacity: memberAt(template, 'spec.resources.requests') },
  });
}

function podOf(set: StoredObject, podName: string, revision: string): KubeObject {
  const { namespace = '', name, uid } = set.metadata;
  const template = memberAt(set, 'spec.template') as KubeObject;
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid, controller: true };
  const volumes = (memberAt(template, 'spec.volumes') ?? []) as readonly Json[];
  const claims = claimTemplates(set).map(({ metadata }) => ({
    name: metadata.name,
    persistentVolumeClaim: { claimName: `${metadata.name}-${podName}` },
  }));
  return {
    metadata: {
      name: podName,
      namespace,
      labels: { ...template.metadata.labels, [REVISION_LABEL]: revision },
      annotations: template.metadata.annotations ?? {},
      ownerReferences: [owner],
    },
    spec: { ...(template['spec'] as object), volumes: [...volumes, ...claims] },
  };
}

function report(
  server: FakeApiServer,
  set: StoredObject,
  { revision, pod }: { readonly revision: string; readonly pod: StoredObject | undefined },
): void {
  const before = textAt(set, 'status.currentRevision') || revision;
  const isReady = textAt(pod, 'status.phase') === 'Running' && pod?.metadata.labels?.[REVISION_LABEL] === revision;
  const replicas = pod === undefined ? 0 : 1;
  server.putStatus(resources.statefulSets, {
    ...set,
    status: {
      observedGeneration: set.metadata.generation,
      replicas,
      readyReplicas: isReady ? 1 : 0,
      currentRevision: isReady ? revision : before,
      updateRevision: revision,
      updatedReplicas: pod?.metadata.labels?.[REVISION_LABEL] === revision ? 1 : 0,
    },
  });
}
