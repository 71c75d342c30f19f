/** A controller: the resources that it watches, the root that each change concerns, and one pass over one root. */
import type { Clock } from '@retainer/contract/std/clock';
import type { KubeClient } from '@retainer/kube/kube-client';
import type { KubeObject, ObjectKey } from '@retainer/kube/kube-object';
import type { Applier } from '../apply/applier.ts';
import type { Caches } from '../watch/caches.ts';
import type { Watched } from '../watch/watched.ts';
import type { Outcome } from './outcome.ts';

/** What passes of all controllers work with. */
export interface PassParts {
  readonly caches: Caches;
  readonly client: KubeClient;
  readonly applier: Applier;
  readonly clock: Clock;
}

export interface Controller {
  /** Label of metrics and logs: `agent`, `task` … */
  readonly name: string;
  /** Number of roots processed at once. */
  readonly concurrency: number;
  readonly watches: readonly (Watched & {
    /** Roots that a change of this object concerns; called for the state before and the state after. Pure. */
    readonly roots: (object: KubeObject) => readonly ObjectKey[];
  })[];
  /** Roots that are no objects: each gets a pass when the caches are complete. Absent: none. */
  readonly fixedKeys?: readonly ObjectKey[];
  /** Called once with what enqueues a root: for changes that no watched object shows. */
  readonly onWake?: (wake: (key: ObjectKey) => void) => void;
  /**
   * One pass: observe, decide, apply, status, events. Level-based: it gets a key and never an event. A pass over a root that
   * does not exist cleans up what belonged to it.
   */
  reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome>;
}
