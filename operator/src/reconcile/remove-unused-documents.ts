import { ANNOTATIONS } from '@retainer/contract/api/names';
import { agentPodName } from '@retainer/contract/api/child-names';
import type { Applier } from '../apply/applier.ts';
import type { BootDocuments } from '../desired/agent/boot-documents.ts';
import { unusedConfigMaps } from '../desired/agent/roll-out.ts';
import type { KubeClient } from '@retainer/kube/kube-client';
import { keyOf } from '@retainer/kube/kube-object';
import type { ObservedAgent } from '../observe/observe-agent.ts';
import { observePod, observeStatefulSet } from '../observe/observe-agent-pod.ts';
import { resources } from '@retainer/kube/resources';

/**
 * Deletes documents of earlier versions once the pod runs with the wanted ones. Caches may lag behind one another, so before a
 * delete this asks the API server for the Agent, its StatefulSet and its pod. That is rare, because deletes are rare.
 */
export async function removeUnusedDocuments(
  { client, applier }: { readonly client: KubeClient; readonly applier: Applier },
  observed: ObservedAgent,
  documents: BootDocuments,
  signal: AbortSignal,
): Promise<void> {
  const wanted = [documents.config, documents.character, ...documents.skills];
  const named = new Set(wanted.map(({ configMapName }) => configMapName));
  if (!runsWith(observed, documents) || unusedConfigMaps(observed, named).length === 0) return;
  const live = await lookAgain(client, observed, signal);
  if (live === undefined) return;
  for (const configMap of unusedConfigMaps(live, named)) await applier.remove(resources.configMaps, configMap, signal);
}

function runsWith({ agent, pod, statefulSet }: ObservedAgent, { digests }: BootDocuments): boolean {
  const running = agent.spec.suspend ? statefulSet?.template.annotations : pod?.annotations;
  return (
    (agent.spec.suspend || pod?.isReady === true) &&
    running?.[ANNOTATIONS.configDigest] === digests.config &&
    running[ANNOTATIONS.characterDigest] === digests.character &&
    running[ANNOTATIONS.skillsDigest] === digests.skills
  );
}

/** Undefined if the Agent is another one by now, or its StatefulSet does not exist. */
async function lookAgain(
  client: KubeClient,
  observed: ObservedAgent,
  signal: AbortSignal,
): Promise<Pick<ObservedAgent, 'configMaps' | 'statefulSet' | 'pod'> | undefined> {
  const { root, agent, statefulSet, configMaps } = observed;
  if (statefulSet === undefined) return undefined;
  const { namespace, name } = agent.metadata;
  const liveRoot = await client.get(resources.agents, keyOf(root), { signal });
  const liveSet = await client.get(resources.statefulSets, keyOf(statefulSet.live), { signal });
  const livePod = await client.get(resources.pods, { namespace, name: agentPodName(name) }, { signal });
  const isSame =
    liveRoot?.metadata.uid === root.metadata.uid && liveRoot?.metadata.generation === root.metadata.generation;
  if (!isSame || liveSet === undefined) return undefined;
  return {
    configMaps,
    statefulSet: observeStatefulSet(liveSet),
    pod: livePod === undefined ? undefined : observePod(livePod),
  };
}
