import type { BootAgent } from '@retainer/contract/wire/boot';
import { resources } from '@retainer/kube/resources';
import { agentChild, type AgentChild } from './agent-child.ts';

/** Says who writes the journal. Made here, so that the agent needs no right to create one; its spec is the agent's own. */
export function desiredLease(agent: BootAgent): AgentChild {
  return agentChild(agent, resources.leases, {});
}
