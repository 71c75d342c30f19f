/** A controller: what it watches, which root each change concerns, and one pass over one root. */
import type { IndexFunction } from '../kube/cache.ts';
import type { KubeObject, ObjectKey } from '../kube/kube-object.ts';
import type { Resource } from '../kube/resource.ts';
import type { Outcome } from './outcome.ts';

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

export interface Controller {
  /** Label of metrics and logs: `agent`, `task` … */
  readonly name: string;
  /** Different roots at once. */
  readonly concurrency: number;
  readonly watches: readonly (Watched & {
    /** Roots that a change of this object concerns; called for the state before and the state after. Pure. */
    readonly roots: (object: KubeObject) => readonly ObjectKey[];
  })[];
  /**
   * One pass: observe, decide, apply, status, events. Level-based: it gets a key and never an event. A root that does not
   * exist is a pass too: what belongs to it is cleaned up.
   */
  reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome>;
}
