/** The resources to list and watch: each once, with the indexes of all controllers that read it. Pure. */
import { invariant } from '@retainer/contract/std/invariant';
import type { IndexFunction } from '@retainer/kube/cache';
import type { Resource } from '@retainer/kube/resource';
import type { Watched } from './watched.ts';

export interface PlannedWatch {
  readonly id: string;
  readonly resource: Resource;
  readonly isSandbox: boolean;
  readonly labelSelector: string | undefined;
  readonly indexes: Readonly<Record<string, IndexFunction>>;
}

/** Names a watched resource: `pods`, or `sandbox/pods` in the namespace of sandboxes. */
export function watchId({ resource, isSandbox }: Pick<Watched, 'resource' | 'isSandbox'>): string {
  const { group, plural } = resource;
  return `${isSandbox === true ? 'sandbox/' : ''}${group === '' ? plural : `${plural}.${group}`}`;
}

/** In the order of first mention. @throws if two controllers disagree over one resource */
export function watchPlan(watches: readonly Watched[]): readonly PlannedWatch[] {
  const plan = new Map<string, PlannedWatch>();
  for (const watched of watches) {
    const id = watchId(watched);
    const known = plan.get(id);
    invariant(
      known === undefined || known.labelSelector === watched.labelSelector,
      `${id} is watched with two label selectors`,
    );
    plan.set(id, {
      id,
      resource: watched.resource,
      isSandbox: watched.isSandbox === true,
      labelSelector: watched.labelSelector,
      indexes: { ...known?.indexes, ...watched.indexes },
    });
  }
  return [...plan.values()];
}
