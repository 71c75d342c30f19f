import { agentChildName } from '@retainer/contract/api/child-names';
import { GROUP } from '@retainer/contract/api/names';
import type { BootAgent } from '@retainer/contract/wire/boot';
import { resources } from '@retainer/kube/resources';
import { agentChild, type AgentChild } from './agent-child.ts';

/**
 * The agent's rights: read the Tasks of its namespace and report on them, ask for sandboxes, hold its own Lease, write events.
 * Admission policies restrict each write to the agent's own objects; a Role cannot.
 *
 * Source: design 7 (rights).
 */
export function desiredRole(agent: BootAgent): AgentChild {
  const lease = agentChildName(agent.metadata.name);
  return agentChild(agent, resources.roles, {
    rules: [
      rule(GROUP, 'tasks', ['get', 'list', 'watch']),
      rule(GROUP, 'tasks/status', ['patch']),
      ...(agent.spec.sandbox.enabled ? [rule(GROUP, 'sandboxruns', ['get', 'list', 'watch', 'create', 'delete'])] : []),
      { ...rule('coordination.k8s.io', 'leases', ['get', 'update']), resourceNames: [lease] },
      rule('events.k8s.io', 'events', ['create']),
    ],
  });
}

function rule(apiGroup: string, resource: string, verbs: readonly string[]) {
  return { apiGroups: [apiGroup], resources: [resource], verbs };
}

export function desiredRoleBinding(agent: BootAgent): AgentChild {
  const name = agentChildName(agent.metadata.name);
  return agentChild(agent, resources.roleBindings, {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace: agent.metadata.namespace }],
  });
}
