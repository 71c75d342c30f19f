import { PORTS } from '@retainer/contract/api/names';
import type { BootAgent } from '@retainer/contract/wire/boot';
import { resources } from '@retainer/kube/resources';
import { agentChild, type AgentChild } from './agent-child.ts';
import { podSelector } from './labels.ts';

/** Gives the pod its name in DNS. */
export function desiredService(agent: BootAgent): AgentChild {
  return agentChild(agent, resources.services, {
    spec: {
      type: 'ClusterIP',
      clusterIP: 'None',
      selector: podSelector(agent),
      ports: [
        port('http', PORTS.agentHttp),
        port('metrics', PORTS.agentMetrics),
        port('auditor-metrics', PORTS.auditorMetrics),
      ],
    },
  });
}

function port(name: string, number: number) {
  return { name, port: number, protocol: 'TCP', targetPort: name };
}
