/** How the chart named a ClusterRole for people: after the release that tends their namespace. */
import { LABELS } from '@retainer/contract/api/names';
import type { KubeClient } from '@retainer/kube/kube-client';
import type { KubeObject } from '@retainer/kube/kube-object';
import type { Resource } from '@retainer/kube/resource';
import { resources } from '@retainer/kube/resources';

export const clusterRoles: Resource = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural: 'clusterroles',
  kind: 'ClusterRole',
  isNamespaced: false,
};

/** Of the ClusterRoles that the chart makes for people. */
export const FOR_PEOPLE = 'retainer.dev/for=people';
/** In each namespace of a release for some namespaces; it binds that release's operator. */
const OPERATOR_BINDING = 'retainer-operator-agents';

export type PeopleRole = 'view' | 'edit' | 'approver';

/**
 * @returns undefined if it cannot be known: whoever lacks one right often lacks that to look at roles, too.
 * Never rejects because of the API server's answer.
 */
export async function peopleRole(
  client: KubeClient,
  { namespace, part }: { readonly namespace: string; readonly part: PeopleRole },
): Promise<string | undefined> {
  try {
    const binding = await client.get(resources.roleBindings, { namespace, name: OPERATOR_BINDING });
    if (binding !== undefined) return `${operatorNamespaceOf(binding)}-${releaseOf(binding)}-${part}`;
    const { items } = await client.list(clusterRoles, { labelSelector: FOR_PEOPLE });
    return items.find((role) => role.metadata.name === `${releaseOf(role)}-${part}`)?.metadata.name;
  } catch {
    return undefined;
  }
}

function releaseOf({ metadata }: KubeObject): string {
  return metadata.labels?.[LABELS.instance] ?? '';
}

function operatorNamespaceOf(binding: KubeObject): string {
  const [subject] = (binding as { readonly subjects?: readonly { readonly namespace?: string }[] }).subjects ?? [];
  return subject?.namespace ?? '';
}
