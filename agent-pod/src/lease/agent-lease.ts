/**
 * The epoch of an agent's Lease is the writer number of its journal.
 *
 * The journal's number may be higher: if an Agent is deleted and created anew on its old volume, the Lease starts at 0. So the
 * Lease is raised to the journal's number before it is acquired: a number never repeats and never falls.
 */
import type { KubeClient } from '@retainer/kube/kube-client';
import type { ObjectKey } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';

export interface EpochFloor {
  readonly client: KubeClient;
  readonly key: ObjectKey;
  /** Highest epoch in the journal; 0 for a new one. */
  readonly epoch: number;
  readonly signal: AbortSignal;
}

/** Does nothing if the Lease is already as high. @throws ApiError, ConnectionError: try again */
export async function raiseEpoch({ client, key, epoch, signal }: EpochFloor): Promise<void> {
  const lease = await client.get(resources.leases, key, { signal });
  if (lease === undefined) throw new Error(`the Lease ${key.name} does not exist yet: the operator creates it`);
  const spec = (lease['spec'] ?? {}) as Readonly<Record<string, unknown>>;
  const { leaseTransitions } = spec;
  if (typeof leaseTransitions === 'number' && leaseTransitions >= epoch) return;
  if (epoch === 0) return;
  await client.replace(resources.leases, { ...lease, spec: { ...spec, leaseTransitions: epoch } }, { signal });
}
