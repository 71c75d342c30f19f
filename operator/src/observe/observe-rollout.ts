/** All agents that have a StatefulSet, as the rollout judges them. */
import { agentChildName, agentPodName } from '@retainer/contract/api/child-names';
import type { BootAgent } from '@retainer/contract/wire/boot';
import { isControlledBy, keyOf, type KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import type { Caches } from '../watch/caches.ts';
import { observePod, observeStatefulSet, type ObservedPod, type ObservedStatefulSet } from './observe-agent-pod.ts';
import { oncePerVersion, parseAgent } from './observe-kinds.ts';

export interface RolledAgent {
  readonly root: KubeObject;
  readonly agent: BootAgent;
  readonly statefulSet: ObservedStatefulSet;
  readonly pod: ObservedPod | undefined;
  readonly missingConfigMaps: readonly string[];
}

const podOf = oncePerVersion(observePod);
const setOf = oncePerVersion(observeStatefulSet);

export function observeRollout(caches: Caches): readonly RolledAgent[] {
  return caches
    .of(resources.agents)
    .list()
    .flatMap((root) => rolledAgent(root, caches));
}

function rolledAgent(root: KubeObject, caches: Caches): readonly RolledAgent[] {
  const key = keyOf(root);
  const parsed = parseAgent(root);
  const live = caches.of(resources.statefulSets).get({ ...key, name: agentChildName(key.name) });
  if (parsed.type !== 'Found' || live === undefined || !isControlledBy(live, root)) return [];
  const statefulSet = setOf(live);
  if (statefulSet === undefined || root.metadata.deletionTimestamp !== undefined) return [];
  const found = caches.of(resources.pods).get({ ...key, name: agentPodName(key.name) });
  const pod = found !== undefined && isControlledBy(found, live) ? podOf(found) : undefined;
  // Whether files are missing is asked only where an agent's own status is judged; here a wait for them is a start.
  return [{ root, agent: parsed.value, statefulSet, pod, missingConfigMaps: [] }];
}
