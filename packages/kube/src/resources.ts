/** The resources that Retainer reads and writes. */
import { KIND_DEFINITIONS } from '@retainer/contract/api/kinds';
import { GROUP, VERSION, type KindName } from '@retainer/contract/api/names';
import type { Resource } from './resource.ts';

function own(kind: KindName): Resource {
  return { group: GROUP, version: VERSION, plural: KIND_DEFINITIONS[kind].plural, kind, isNamespaced: true };
}

function builtin(group: string, plural: string, kind: string): Resource {
  return { group, version: 'v1', plural, kind, isNamespaced: true };
}

export const resources = {
  agents: own('Agent'),
  tasks: own('Task'),
  skills: own('Skill'),
  characterSpecs: own('CharacterSpec'),
  sandboxRuns: own('SandboxRun'),
  deployments: builtin('apps', 'deployments', 'Deployment'),
  statefulSets: builtin('apps', 'statefulsets', 'StatefulSet'),
  namespaces: { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', isNamespaced: false },
  jobs: builtin('batch', 'jobs', 'Job'),
  pods: builtin('', 'pods', 'Pod'),
  services: builtin('', 'services', 'Service'),
  serviceAccounts: builtin('', 'serviceaccounts', 'ServiceAccount'),
  configMaps: builtin('', 'configmaps', 'ConfigMap'),
  claims: builtin('', 'persistentvolumeclaims', 'PersistentVolumeClaim'),
  events: builtin('events.k8s.io', 'events', 'Event'),
  roles: builtin('rbac.authorization.k8s.io', 'roles', 'Role'),
  roleBindings: builtin('rbac.authorization.k8s.io', 'rolebindings', 'RoleBinding'),
  networkPolicies: builtin('networking.k8s.io', 'networkpolicies', 'NetworkPolicy'),
  disruptionBudgets: builtin('policy', 'poddisruptionbudgets', 'PodDisruptionBudget'),
  leases: builtin('coordination.k8s.io', 'leases', 'Lease'),
} as const satisfies Readonly<Record<string, Resource>>;
