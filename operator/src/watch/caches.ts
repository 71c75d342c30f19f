/** The caches of all watched resources, as controllers read them. */
import type { Cache } from '@retainer/kube/cache';
import type { KubeObject } from '@retainer/kube/kube-object';
import type { Resource } from '@retainer/kube/resource';

export interface Caches {
  /** In the namespaces of agents. @throws on a resource that no controller watches there */
  of<T extends KubeObject = KubeObject>(resource: Resource): Cache<T>;
  /** In the namespace of sandboxes. */
  inSandboxes<T extends KubeObject = KubeObject>(resource: Resource): Cache<T>;
}
