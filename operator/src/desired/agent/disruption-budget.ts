import type { BootAgent } from '@retainer/contract/wire/boot';
import { resources } from '@retainer/kube/resources';
import { agentChild, type AgentChild } from './agent-child.ts';
import { podSelector } from './labels.ts';

/** Lets a node be drained: the agent ends its cycle and goes on elsewhere. An unhealthy one never holds a drain up. */
export function desiredDisruptionBudget(agent: BootAgent): AgentChild {
  return agentChild(agent, resources.disruptionBudgets, {
    spec: {
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: podSelector(agent) },
    },
  });
}
