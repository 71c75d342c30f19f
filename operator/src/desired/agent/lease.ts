import type { BootAgent } from '@retainer/contract/wire/boot';
import { resources } from '@retainer/kube/resources';
import { agentChild, type AgentChild } from './agent-child.ts';

/** Names the writer of the journal. The operator makes it, so the agent needs no right to create one, but owns its spec. */
export function desiredLease(agent: BootAgent): AgentChild {
  return agentChild(agent, resources.leases, {});
}
