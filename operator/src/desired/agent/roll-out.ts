/** When an agent may restart because of a change, and which of its old documents are still needed. Pure. */
import { ANNOTATIONS } from '@retainer/contract/api/names';
import type { KubeObject } from '@retainer/kube/kube-object';
import type { ObservedAgent } from '../../observe/observe-agent.ts';
import type { AgentChild } from './agent-child.ts';

/** Whether applying this StatefulSet would restart an agent that works: only then it waits for its turn. */
export function interruptsWork({ agent, statefulSet, pod }: ObservedAgent, desired: AgentChild): boolean {
  if (statefulSet === undefined || agent.spec.suspend || pod?.isReady !== true) return false;
  return statefulSet.templateDigest !== desired.object.metadata.annotations?.[ANNOTATIONS.templateDigest];
}

/** Documents that neither the pod nor what it will be made from mentions. `named` are those that are wanted. */
export function unusedConfigMaps(
  { configMaps, statefulSet, pod }: Pick<ObservedAgent, 'configMaps' | 'statefulSet' | 'pod'>,
  named: ReadonlySet<string>,
): readonly KubeObject[] {
  const used = new Set([...(statefulSet?.template.configMapNames ?? []), ...(pod?.configMapNames ?? [])]);
  return configMaps.filter(({ metadata: { name } }) => !used.has(name) && !named.has(name));
}

/**
 * Another number of pods and nothing else: for an Agent that is suspended or resumed while something that it refers to is
 * missing. Undefined where the number is right.
 */
export function replicasPatch({ agent, statefulSet }: ObservedAgent): object | undefined {
  const replicas = agent.spec.suspend ? 0 : 1;
  if (statefulSet === undefined || statefulSet.replicas === replicas) return undefined;
  // Only of the very StatefulSet that was judged.
  const { uid, resourceVersion } = statefulSet.live.metadata;
  return { metadata: { uid, resourceVersion }, spec: { replicas } };
}
