import type { BootAgent } from '@retainer/contract/wire/boot';
import { resources } from '@retainer/kube/resources';
import { agentChild, type AgentChild } from './agent-child.ts';
import { podSelector } from './labels.ts';

/** Permits draining a node: the agent ends its cycle and continues elsewhere. An unhealthy agent never blocks a drain. */
export function desiredDisruptionBudget(agent: BootAgent): AgentChild {
  return agentChild(agent, resources.disruptionBudgets, {
    spec: {
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: podSelector(agent) },
    },
  });
}
