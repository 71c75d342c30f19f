/**
 * What becomes of dependents whose owners go. One call is one pass over everything; nothing happens in between.
 *
 * Source: Kubernetes documentation, Garbage Collection.
 */
import { FOREGROUND, GRACE_SECONDS_DEFAULT, ORPHAN, deleteObject } from './deletion.ts';
import type { StoredObject } from './json.ts';
import type { ObjectStore } from './object-store.ts';
import type { ServedResource } from './served-resource.ts';
import type { WriteWorld } from './writes.ts';

const COLLECTOR = 'system:garbage-collector';

interface Row {
  readonly served: ServedResource;
  readonly object: StoredObject;
}

/** @returns how many objects were changed or removed; 0 when nothing is left to do */
export function collectGarbage(world: WriteWorld): number {
  const { store } = world;
  const before = store.revision;
  for (const row of withFinalizer(store, ORPHAN)) orphan(store, row);
  for (const row of withFinalizer(store, FOREGROUND)) foreground(world, row);
  for (const row of store.all().filter(({ object }) => isAbandoned(store, object))) discard(world, row);
  return store.revision - before;
}

function withFinalizer(store: ObjectStore, name: string): readonly Row[] {
  return store.all().filter(({ object }) => object.metadata.finalizers?.includes(name) === true);
}

function dependents(store: ObjectStore, { metadata }: StoredObject): readonly Row[] {
  return store
    .all()
    .filter(({ object }) => object.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) === true);
}

function orphan(store: ObjectStore, row: Row): void {
  for (const { served, object } of dependents(store, row.object)) {
    const ownerReferences = object.metadata.ownerReferences?.filter(({ uid }) => uid !== row.object.metadata.uid) ?? [];
    store.put(served, { ...object, metadata: { ...object.metadata, ownerReferences } }, COLLECTOR);
  }
  release(store, row, ORPHAN);
}

function foreground(world: WriteWorld, row: Row): void {
  for (const dependent of dependents(world.store, row.object)) discard(world, dependent);
  if (dependents(world.store, row.object).length === 0) release(world.store, row, FOREGROUND);
}

function release(store: ObjectStore, { served, object }: Row, finalizer: string): void {
  const { finalizers = [], ...metadata } = object.metadata;
  const left = finalizers.filter((name) => name !== finalizer);
  if (left.length > 0) store.put(served, { ...object, metadata: { ...metadata, finalizers: left } }, COLLECTOR);
  else store.remove(served, { ...object, metadata }, COLLECTOR);
}

/** An owner counts in the object's own namespace, or for all of the cluster, and nowhere else. */
function isAbandoned(store: ObjectStore, { metadata }: StoredObject): boolean {
  const owners = metadata.ownerReferences ?? [];
  const isOwner = ({ object }: Row): boolean =>
    owners.some(({ uid }) => uid === object.metadata.uid) &&
    (object.metadata.namespace === undefined || object.metadata.namespace === metadata.namespace);
  return owners.length > 0 && !store.all().some(isOwner);
}

function discard(world: WriteWorld, { served, object }: Row): void {
  if (object.metadata.deletionTimestamp !== undefined) return;
  const options = { propagation: 'Background', graceSeconds: GRACE_SECONDS_DEFAULT, isDryRun: false };
  deleteObject({ served, world, user: COLLECTOR }, object, options);
}
