/** The caches of all watched resources, as controllers read them. */
import type { Cache } from '../kube/cache.ts';
import type { KubeObject } from '../kube/kube-object.ts';
import type { Resource } from '../kube/resource.ts';

export interface Caches {
  /** In the namespaces of agents. @throws on a resource that no controller watches there */
  of<T extends KubeObject = KubeObject>(resource: Resource): Cache<T>;
  /** In the namespace of sandboxes. */
  inSandboxes<T extends KubeObject = KubeObject>(resource: Resource): Cache<T>;
}
