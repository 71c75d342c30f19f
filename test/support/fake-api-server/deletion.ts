/** Deletion: preconditions, finalizers, grace, and the dependents. */
import { isRecord, memberAt, textAt, type Json, type StoredObject } from './json.ts';
import { selectorOf } from './reads.ts';
import { refusals } from './refusal.ts';
import { collectionName, type ServedResource } from './served-resource.ts';
import { timeText, type Answer, type Write, type WriteWorld } from './writes.ts';

/** Finalizers of the collector. */
export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

/** What a pod has to stop in, where nobody says. */
export const GRACE_SECONDS_DEFAULT = 30;

interface DeleteOptions {
  readonly propagation: string;
  readonly graceSeconds: number;
  readonly isDryRun: boolean;
}

interface CheckedDeleteOptions extends DeleteOptions {
  /** Empty: whatever there is. */
  readonly uid: string;
  readonly resourceVersion: string;
}

function optionsOf({ request, served }: Write): CheckedDeleteOptions {
  const { query } = request;
  const body: Json = isRecord(request.body) ? request.body : {};
  const dryRun = body['dryRun'];
  return {
    propagation: textAt(body, 'propagationPolicy') || (query.get('propagationPolicy') ?? served.defaultPropagation),
    graceSeconds: Number(body['gracePeriodSeconds'] ?? query.get('gracePeriodSeconds') ?? GRACE_SECONDS_DEFAULT),
    uid: textAt(body, 'preconditions.uid'),
    resourceVersion: textAt(body, 'preconditions.resourceVersion'),
    isDryRun: query.getAll('dryRun').includes('All') || (Array.isArray(dryRun) && dryRun.includes('All')),
  };
}

export function remove(write: Write): Answer {
  const { request, served, world } = write;
  const { namespace, name } = request;
  const words = { collection: collectionName(served.resource), name };
  const live = world.store.get(served, { namespace, name });
  if (live === undefined) throw refusals.notFound(words);
  const options = optionsOf(write);
  const { uid, resourceVersion } = live.metadata;
  if (options.uid !== '' && options.uid !== uid)
    throw refusals.conflict(
      words,
      `Precondition failed: UID in precondition: ${options.uid}, UID in object meta: ${uid}`,
    );
  if (options.resourceVersion !== '' && options.resourceVersion !== resourceVersion)
    throw refusals.conflict(
      words,
      `Precondition failed: ResourceVersion in precondition: ${options.resourceVersion}, ResourceVersion in object meta: ${resourceVersion}`,
    );
  return { status: 200, body: deleteObject({ served, world, user: request.user }, live, options) };
}

export function removeCollection(write: Write): Answer {
  const { request, served, world } = write;
  const isSelected = selectorOf(served, request);
  const options = optionsOf(write);
  for (const live of world.store.list(served))
    if (isSelected(live)) deleteObject({ served, world, user: request.user }, live, options);
  return { status: 200, body: { kind: 'Status', apiVersion: 'v1', status: 'Success' } };
}

/** Where an object is deleted, and by whom. */
export interface Deletion {
  readonly served: ServedResource;
  readonly world: WriteWorld;
  readonly user: string;
}

/** @returns what the API server answers: the object while it still exists, or a Status */
export function deleteObject({ served, world, user }: Deletion, live: StoredObject, options: DeleteOptions): unknown {
  const finalizers = [...new Set([...(live.metadata.finalizers ?? []), ...finalizerOf(options.propagation)])];
  const mustStop = served.isGraceful && options.graceSeconds > 0 && memberAt(live, 'spec.nodeName') !== undefined;
  if (options.isDryRun) return live;
  if (finalizers.length === 0 && !mustStop) {
    world.store.remove(served, live, user);
    return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details: { uid: live.metadata.uid } };
  }
  if (live.metadata.deletionTimestamp !== undefined) return live;
  const { generation } = live.metadata;
  const graceMs = served.isGraceful ? options.graceSeconds * 1000 : 0;
  const marked: StoredObject = {
    ...live,
    metadata: {
      ...live.metadata,
      ...(finalizers.length === 0 ? {} : { finalizers }),
      ...(generation === undefined ? {} : { generation: generation + 1 }),
      deletionTimestamp: timeText(world.nowMs() + graceMs),
      deletionGracePeriodSeconds: graceMs / 1000,
    },
  };
  return world.store.put(served, marked, user);
}

function finalizerOf(propagation: string): readonly string[] {
  if (propagation === 'Foreground') return [FOREGROUND];
  return propagation === 'Orphan' ? [ORPHAN] : [];
}
