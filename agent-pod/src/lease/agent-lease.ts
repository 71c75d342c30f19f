/**
 * The epoch of an agent's Lease is the writer number of its journal.
 *
 * The journal's number may be higher: if an Agent is deleted and created anew on its old volume, the Lease starts at 0. So the
 * Lease is raised to the journal's number before it is acquired: a number never repeats and never falls.
 */
import { ANNOTATIONS } from '@retainer/contract/api/names';
import { isConflict } from '@retainer/kube/api-error';
import type { KubeClient } from '@retainer/kube/kube-client';
import type { KubeObject, ObjectKey } from '@retainer/kube/kube-object';
import { leaseRecordOf } from '@retainer/kube/lease-record';
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

export interface NamedLease extends Omit<EpochFloor, 'epoch'> {
  readonly individual: string;
}

/** Its holder renews the Lease at the same time, and the operator may note something on it. */
const CONFLICTS_MAX = 3;

/**
 * Names the individual on the agent's Lease, where the operator reads it. The holder's next renewal finds the new version.
 *
 * @throws ApiError, ConnectionError: try again
 */
export async function nameIndividual(lease: NamedLease): Promise<void> {
  for (let conflicts = 0; ; conflicts += 1) {
    try {
      return await writeIndividual(lease);
    } catch (error) {
      if (conflicts === CONFLICTS_MAX || !isConflict(error)) throw error;
    }
  }
}

async function writeIndividual({ client, key, individual, signal }: NamedLease): Promise<void> {
  const lease = await client.get(resources.leases, key, { signal });
  if (lease === undefined) throw new Error(`the Lease ${key.name} does not exist: the operator creates it again`);
  const { annotations } = lease.metadata;
  if (annotations?.[ANNOTATIONS.individual] === individual) return;
  const named = { ...annotations, [ANNOTATIONS.individual]: individual };
  await client.replace(resources.leases, { ...lease, metadata: { ...lease.metadata, annotations: named } }, { signal });
}

/** What the holder notes on the Lease. It names the holder, too: a program that knows nothing of places leaves an older note. */
export function placeNote(holder: string, place: string): string {
  return `${holder} ${place}`;
}

/** Whether the holder of the Lease had its lock at this place, so that the lock tells whether it has ended. */
export function isHeldFrom(place: string, live: KubeObject): boolean {
  const note = live.metadata.annotations?.[ANNOTATIONS.writerPlace];
  return note !== undefined && note === placeNote(leaseRecordOf(live).holder, place);
}
