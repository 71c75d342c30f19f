import type { KubeObject } from '@retainer/kube/kube-object';
import type { Settings } from '../settings/settings.ts';

/** What bears conditions and Events of the installation itself. */
export function ownDeployment({ namespace }: Pick<Settings, 'namespace'>): KubeObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace, name: 'retainer-operator' } };
}
