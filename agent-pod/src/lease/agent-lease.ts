/**
 * The Lease of an agent as the number of its journal's writer.
 *
 * A journal may remember a higher number than the Lease does: the Agent was deleted, its volume kept, and both were made again.
 * The Lease is raised to it before it is acquired, so that a number never comes twice and never goes back.
 */
import type { KubeClient } from '@retainer/kube/kube-client';
import type { ObjectKey } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';

export interface EpochFloor {
  readonly client: KubeClient;
  readonly key: ObjectKey;
  /** Highest number that the journal has seen; 0 for a new one. */
  readonly epoch: number;
  readonly signal: AbortSignal;
}

/** Does nothing where the Lease is there already. @throws ApiError, ConnectionError: try again */
export async function raiseEpoch({ client, key, epoch, signal }: EpochFloor): Promise<void> {
  const lease = await client.get(resources.leases, key, { signal });
  if (lease === undefined) throw new Error(`the Lease ${key.name} is not there yet: the operator makes it`);
  const spec = (lease['spec'] ?? {}) as Readonly<Record<string, unknown>>;
  const { leaseTransitions } = spec;
  if (typeof leaseTransitions === 'number' && leaseTransitions >= epoch) return;
  if (epoch === 0) return;
  await client.replace(resources.leases, { ...lease, spec: { ...spec, leaseTransitions: epoch } }, { signal });
}
