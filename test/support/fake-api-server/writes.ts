/** Create, replace, patch, apply and delete: what is stored, and who owns it. */
import { isDeepStrictEqual } from 'node:util';
import { apiVersionOf } from '@retainer/kube/resource';
import { admitted, defaultStatus } from './admission.ts';
import type { ApiRequest } from './api-request.ts';
import { isRecord, memberAt, mergePatched, textAt, withoutNulls } from './json.ts';
import type { Json, ManagedFieldsEntry, StoredObject } from './json.ts';
import { applyConfig, ownersAfterUpdate, type WriteContext } from './managed-fields.ts';
import type { ObjectStore } from './object-store.ts';
import { MODIFIED_MEANWHILE, ApiRefusal, refusals, type ObjectWords } from './refusal.ts';
import { collectionName, type ServedResource } from './served-resource.ts';

/** What a write needs of the server. */
export interface WriteWorld {
  readonly store: ObjectStore;
  readonly nowMs: () => number;
  /** @param address  of the object that is born */
  readonly newUid: (address: string) => string;
}

export interface Write {
  readonly request: ApiRequest;
  readonly served: ServedResource;
  readonly world: WriteWorld;
}

export interface Answer {
  readonly retryAfterSeconds?: number;
  readonly status: number;
  readonly body: unknown;
}

/** Times of the API server have no fractions. */
export function timeText(nowMs: number): string {
  return new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
}

function wordsOf({ request, served }: Write, name: string = request.name): ObjectWords {
  return { collection: collectionName(served.resource), name };
}

function bodyOf(write: Write): Json {
  const { body } = write.request;
  if (!isRecord(body)) throw refusals.badRequest('the body is not an object');
  const { apiVersion, kind } = body;
  const { resource } = write.served;
  const isMerge = write.request.verb === 'patch';
  if (!isMerge && (apiVersion !== apiVersionOf(resource) || kind !== resource.kind))
    throw refusals.badRequest(
      `the body is a ${textAt(body, 'apiVersion')} ${textAt(body, 'kind')}, the address is of ${apiVersionOf(resource)} ${resource.kind}`,
    );
  return body;
}

function contextOf({ request, served, world }: Write): WriteContext {
  const fallback = request.userAgent.split('/')[0] ?? '';
  return {
    schema: served.schema,
    hasStatus: served.hasStatus,
    writer: {
      manager: request.query.get('fieldManager') ?? (fallback === '' ? 'unknown' : fallback),
      operation: request.verb === 'apply' ? 'Apply' : 'Update',
      apiVersion: apiVersionOf(served.resource),
      subresource: request.subresource,
      time: timeText(world.nowMs()),
    },
  };
}

function isDryRun({ request }: Write): boolean {
  return request.query.getAll('dryRun').includes('All');
}

function isStrict({ request }: Write): boolean {
  return request.query.get('fieldValidation') === 'Strict';
}

export function create(write: Write): Answer {
  const { request, served, world } = write;
  if (request.name !== '') throw refusals.methodNotAllowed();
  const body = bodyOf(write);
  const name = memberAt(body, 'metadata.name');
  if (typeof name !== 'string' || name === '')
    throw refusals.invalid(wordsOf(write, ''), ['metadata.name: Required value: name is required']);
  const bodyNamespace = memberAt(body, 'metadata.namespace') ?? request.namespace;
  if (bodyNamespace !== request.namespace)
    throw refusals.badRequest('the namespace of the provided object does not match the namespace sent on the request');
  if (memberAt(body, 'metadata.resourceVersion') !== undefined)
    throw refusals.badRequest('resourceVersion should not be set on objects to be created');
  if (world.store.get(served, { namespace: request.namespace, name }) !== undefined)
    throw refusals.alreadyExists(wordsOf(write, name));
  const { status, ...rest } = body;
  const object = admitted(
    served,
    withoutUndefined(served.hasStatus ? rest : { ...rest, status }),
    undefined,
    isStrict(write),
  );
  const clean = withoutNulls(object) as Json;
  return { status: 201, body: born(write, clean, ownersAfterUpdate(undefined, clean, contextOf(write))) };
}

function born(write: Write, object: Json, managedFields: readonly ManagedFieldsEntry[]): StoredObject {
  const { request, served, world } = write;
  const metadata = isRecord(object['metadata']) ? object['metadata'] : {};
  const stored = {
    ...(served.ownKind === undefined ? {} : { status: defaultStatus(served.ownKind) }),
    ...object,
    metadata: {
      ...ownMetadata(metadata),
      name: textAt(metadata, 'name'),
      ...(served.resource.isNamespaced ? { namespace: request.namespace } : {}),
      uid: world.newUid(`${collectionName(served.resource)} ${request.namespace}/${textAt(metadata, 'name')}`),
      resourceVersion: '',
      ...(served.hasGeneration ? { generation: 1 } : {}),
      creationTimestamp: timeText(world.nowMs()),
      managedFields,
    },
  };
  return isDryRun(write) ? stored : world.store.put(served, stored, request.user);
}

/** What of metadata a client decides. */
function ownMetadata(metadata: object): Json {
  const { labels, annotations, ownerReferences, finalizers } = metadata as Json;
  return withoutUndefined({ labels, annotations, ownerReferences, finalizers });
}

function withoutUndefined(object: Json): Json {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

function existing(write: Write): StoredObject {
  const { request, served, world } = write;
  const { namespace, name } = request;
  const live = world.store.get(served, { namespace, name });
  if (live === undefined) throw refusals.notFound(wordsOf(write));
  return live;
}

function checkIdentity(write: Write, body: Json, live: StoredObject): void {
  const uid = textAt(body, 'metadata.uid');
  const version = textAt(body, 'metadata.resourceVersion');
  if (uid !== '' && uid !== live.metadata.uid && write.request.method === 'PATCH')
    throw refusals.invalid(wordsOf(write), [`metadata.uid: Invalid value: "${uid}": field is immutable`]);
  if (uid !== '' && uid !== live.metadata.uid)
    throw refusals.conflict(
      wordsOf(write),
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`,
    );
  if (version !== '' && version !== live.metadata.resourceVersion)
    throw refusals.conflict(wordsOf(write), MODIFIED_MEANWHILE);
}

export function replace(write: Write): Answer {
  const body = bodyOf(write);
  if (memberAt(body, 'metadata.name') !== write.request.name)
    throw refusals.badRequest('the name of the object does not match the name on the URL');
  const live = existing(write);
  checkIdentity(write, body, live);
  return updated(write, live, withoutNulls(body) as Json);
}

export function mergePatch(write: Write): Answer {
  const { request } = write;
  if (!request.contentType.startsWith('application/merge-patch+json'))
    throw refusals.unsupportedMediaType(request.contentType);
  const body = bodyOf(write);
  const live = existing(write);
  checkIdentity(write, body, live);
  return updated(write, live, mergePatched(live, body) as Json);
}

function updated(write: Write, live: StoredObject, wanted: Json): Answer {
  const object = admitted(write.served, written(write, live, wanted), live, isStrict(write));
  return stored(write, live, { object, managedFields: ownersAfterUpdate(live, object, contextOf(write)) });
}

/** Only the part that this door writes is taken from `wanted`. */
function written({ request, served }: Write, live: StoredObject, wanted: Json): Json {
  const { status, ...rest } = wanted;
  const { status: liveStatus, ...liveRest } = live;
  if (request.subresource === 'status') return withoutUndefined({ ...liveRest, status });
  return withoutUndefined({ ...rest, status: served.hasStatus ? liveStatus : status });
}

export function apply(write: Write): Answer {
  const { request, served, world } = write;
  const body = withoutNulls(bodyOf(write)) as Json;
  const manager = request.query.get('fieldManager') ?? '';
  if (manager === '') throw refusals.badRequest('PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value');
  if (memberAt(body, 'metadata.managedFields') !== undefined)
    throw refusals.badRequest('metadata.managedFields must be nil');
  if (memberAt(body, 'metadata.name') !== request.name)
    throw refusals.badRequest('the name of the object does not match the name on the URL');
  const live = world.store.get(served, { namespace: request.namespace, name: request.name });
  if (live === undefined && request.subresource !== undefined) throw refusals.notFound(wordsOf(write));
  if (live === undefined) return applyNew(write, body);
  checkIdentity(write, body, live);
  const result = applyConfig(live, body, request.query.get('force') === 'true', contextOf(write));
  if (result.type === 'Conflicts') throw fieldConflict(result.conflicts);
  const { object, managedFields } = result.write;
  const complete = admitted(served, written(write, live, object), live, isStrict(write));
  return stored(write, live, { object: complete, managedFields });
}

function applyNew(write: Write, body: Json): Answer {
  if (memberAt(body, 'metadata.uid') !== undefined)
    throw refusals.conflict(wordsOf(write), 'Precondition failed: the object to be applied does not exist');
  const result = applyConfig(undefined, body, true, contextOf(write));
  if (result.type === 'Conflicts') throw fieldConflict(result.conflicts);
  const object = admitted(write.served, result.write.object, undefined, isStrict(write));
  return { status: 201, body: born(write, object, result.write.managedFields) };
}

function fieldConflict(conflicts: readonly { readonly manager: string; readonly field: string }[]): ApiRefusal {
  const managers = [...new Set(conflicts.map(({ manager }) => `"${manager}"`))].join(', ');
  const causes = conflicts.map(({ manager, field }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with "${manager}"`,
    field,
  }));
  const fields = conflicts.map(({ field }) => field).join(', ');
  return new ApiRefusal({
    status: 409,
    reason: 'Conflict',
    message: `Apply failed with ${conflicts.length} conflicts: conflicts with ${managers}: ${fields}`,
    details: { causes },
  });
}

interface NewState {
  readonly object: Json;
  readonly managedFields: readonly ManagedFieldsEntry[];
}

function stored(write: Write, live: StoredObject, { object, managedFields }: NewState): Answer {
  const { request, served, world } = write;
  const wanted = isRecord(object['metadata']) ? object['metadata'] : {};
  const { labels: _labels, annotations: _notes, ownerReferences: _owners, finalizers: _holds, ...kept } = live.metadata;
  const isStatus = request.subresource === 'status';
  const next: StoredObject = {
    ...object,
    metadata: {
      ...kept,
      ...ownMetadata(isStatus ? live.metadata : wanted),
      ...generationOf(write, live, object),
      managedFields,
    },
  };
  if (isDryRun(write)) return { status: 200, body: next };
  const isFinished = next.metadata.deletionTimestamp !== undefined && (next.metadata.finalizers ?? []).length === 0;
  const hadHolds = (live.metadata.finalizers ?? []).length > 0;
  if (isFinished && hadHolds && !isStatus) {
    world.store.remove(served, next, request.user);
    return { status: 200, body: next };
  }
  return { status: 200, body: world.store.put(served, next, request.user) };
}

function generationOf({ request, served }: Write, live: StoredObject, object: Json): Json {
  if (!served.hasGeneration) return {};
  const bare = ({ metadata: _metadata, status: _status, ...rest }: Json): Json => rest;
  const isChanged = request.subresource !== 'status' && !isDeepStrictEqual(bare(object), bare(live));
  return { generation: (live.metadata.generation ?? 1) + (isChanged ? 1 : 0) };
}
