/** Whether a change restarts an agent, and which of its old documents are unused. Pure. */
import { ANNOTATIONS } from '@retainer/contract/api/names';
import type { KubeObject } from '@retainer/kube/kube-object';
import type { ObservedAgent } from '../../observe/observe-agent.ts';
import type { AgentChild } from './agent-child.ts';

/** Whether applying this StatefulSet would restart a working agent. Only such a change waits for its turn. */
export function interruptsWork({ agent, statefulSet, pod }: ObservedAgent, desired: AgentChild): boolean {
  if (statefulSet === undefined || agent.spec.suspend || pod?.isReady !== true) return false;
  return changesPod({ statefulSet }, desired);
}

/** Whether applying this StatefulSet gives another pod. */
export function changesPod({ statefulSet }: Pick<ObservedAgent, 'statefulSet'>, desired: AgentChild): boolean {
  return statefulSet?.templateDigest !== desired.object.metadata.annotations?.[ANNOTATIONS.templateDigest];
}

/** Whether a person changed something since the pod template was last written. */
export function isOfPeople({ statefulSet, people }: Pick<ObservedAgent, 'statefulSet' | 'people'>): boolean {
  return statefulSet?.rollout !== undefined && statefulSet.rollout.people !== people;
}

/** Documents that neither the pod nor its template mounts. @param named  documents to keep all the same */
export function unusedConfigMaps(
  { configMaps, statefulSet, pod }: Pick<ObservedAgent, 'configMaps' | 'statefulSet' | 'pod'>,
  named: ReadonlySet<string>,
): readonly KubeObject[] {
  const used = new Set([...(statefulSet?.template.configMapNames ?? []), ...(pod?.configMapNames ?? [])]);
  return configMaps.filter(({ metadata: { name } }) => !used.has(name) && !named.has(name));
}

/**
 * Changes only the number of pods: for an Agent that is suspended or resumed while one of its references is unresolved.
 * Undefined if the number is right.
 */
export function replicasPatch({ agent, statefulSet }: ObservedAgent): object | undefined {
  const replicas = agent.spec.suspend ? 0 : 1;
  if (statefulSet === undefined || statefulSet.replicas === replicas) return undefined;
  // Applies only to the judged version of the StatefulSet.
  const { uid, resourceVersion } = statefulSet.live.metadata;
  return { metadata: { uid, resourceVersion }, spec: { replicas } };
}
