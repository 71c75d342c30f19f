import { isNotFound } from '@retainer/kube/api-error';
import type { KubeClient } from '@retainer/kube/kube-client';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import type { Settings } from '../settings/settings.ts';

/** What bears conditions and Events of the installation itself. */
export function ownDeployment({ namespace }: Pick<Settings, 'namespace'>): KubeObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace, name: 'retainer-operator' } };
}

export interface OwnStatus {
  readonly fieldManager: string;
  /** All that this manager tells: what it wrote before and is not here goes. */
  readonly conditions: readonly object[];
  readonly settings: Pick<Settings, 'namespace'>;
}

/** Writes the conditions of one manager on the own Deployment; none where there is no Deployment. */
export async function applyOwnConditions(
  client: KubeClient,
  { fieldManager, conditions, settings }: OwnStatus,
  signal: AbortSignal,
): Promise<void> {
  const status = conditions.length === 0 ? {} : { conditions };
  const options = { fieldManager, force: true, subresource: 'status', signal } as const;
  try {
    await client.apply(resources.deployments, { ...ownDeployment(settings), status }, options);
  } catch (error) {
    // An operator that runs outside the cluster has no Deployment.
    if (!isNotFound(error)) throw error;
  }
}
