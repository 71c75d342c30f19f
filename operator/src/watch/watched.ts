import type { IndexFunction } from '@retainer/kube/cache';
import type { Resource } from '@retainer/kube/resource';

/** One watched resource. A resource that several controllers watch is listed and watched once. */
export interface Watched {
  readonly resource: Resource;
  /** In the namespace of sandboxes, not in those of agents. */
  readonly isSandbox?: boolean;
  /** Only objects with these labels. */
  readonly labelSelector?: string;
  /** Indexes that some controller reads. Names are unique over all controllers. */
  readonly indexes?: Readonly<Record<string, IndexFunction>>;
}
