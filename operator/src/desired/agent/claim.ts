/** The two volumes of an agent. The StatefulSet makes their claims; the operator writes a larger size to the claim. Pure. */
import { agentPodName } from '@retainer/contract/api/child-names';
import type { BootAgent } from '@retainer/contract/wire/boot';
import type { ClaimTemplate } from '../../observe/observe-agent-pod.ts';
import type { ObservedClaim } from '../../observe/observe-agent-claim.ts';
import { resources } from '@retainer/kube/resources';
import { agentChild, type AgentChild } from './agent-child.ts';
import { agentLabels } from './labels.ts';
import { canonicalQuantity, quantityValue } from './quantity.ts';

export const VOLUMES = ['data', 'audit'] as const;
export type VolumeName = (typeof VOLUMES)[number];

export function wantedStorage({ spec }: BootAgent, volume: VolumeName): string {
  return canonicalQuantity(volume === 'data' ? spec.memory.storage : spec.pod.auditorStorage);
}

export type ClaimSize = 'AsWanted' | 'TooSmall' | 'Larger';

export function claimSize(agent: BootAgent, volume: VolumeName, { requested }: ObservedClaim): ClaimSize {
  const wanted = quantityValue(wantedStorage(agent, volume));
  const live = quantityValue(requested);
  if (wanted === undefined || live === undefined || wanted === live) return 'AsWanted';
  return wanted > live ? 'TooSmall' : 'Larger';
}

/** The claim with a larger request; undefined if it is large enough. A volume cannot shrink. */
export function desiredClaim(
  agent: BootAgent,
  volume: VolumeName,
  claim: ObservedClaim | undefined,
): AgentChild | undefined {
  if (claim === undefined || claimSize(agent, volume, claim) !== 'TooSmall') return undefined;
  const spec = { resources: { requests: { storage: wantedStorage(agent, volume) } } };
  const name = `${volume}-${agentPodName(agent.metadata.name)}`;
  return { ...agentChild(agent, resources.claims, { spec }, { name }), isKept: true };
}

/** Templates of the claims. An existing StatefulSet keeps its own, because the API server refuses any change. */
export function claimTemplates(agent: BootAgent, existing: readonly ClaimTemplate[] | undefined): readonly unknown[] {
  return VOLUMES.map(
    (volume) => existing?.find(({ metadata }) => metadata.name === volume) ?? newTemplate(agent, volume),
  );
}

function newTemplate(agent: BootAgent, volume: VolumeName): ClaimTemplate {
  const { storageClassName } = agent.spec.memory;
  return {
    metadata: { name: volume, labels: { ...agentLabels(agent) } },
    spec: {
      accessModes: ['ReadWriteOnce'],
      ...(storageClassName === undefined ? {} : { storageClassName }),
      resources: { requests: { storage: wantedStorage(agent, volume) } },
    },
  };
}
