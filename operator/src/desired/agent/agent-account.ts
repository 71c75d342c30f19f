import type { BootAgent } from '@retainer/contract/wire/boot';
import { resources } from '@retainer/kube/resources';
import { agentChild, type AgentChild } from './agent-child.ts';
import { serviceAccountAnnotations } from './labels.ts';

/** The pod's identity, without an automatic token: the pod projects a bound one into the one container that needs it. */
export function desiredServiceAccount(agent: BootAgent): AgentChild {
  const annotations = serviceAccountAnnotations(agent);
  return agentChild(agent, resources.serviceAccounts, { automountServiceAccountToken: false }, { annotations });
}
