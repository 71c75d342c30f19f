/** Get and list, at the newest revision or at an older one. */
import { apiVersionOf } from '@retainer/kube/resource';
import type { ApiRequest } from './api-request.ts';
import type { Json, StoredObject } from './json.ts';
import type { ObjectStore } from './object-store.ts';
import { refusals } from './refusal.ts';
import { fieldSelector, labelSelector, type Selector } from './selectors.ts';
import { collectionName, type ServedResource } from './served-resource.ts';

/** @param atRevision  older than the newest one where a stale server answers */
export function readOne(
  store: ObjectStore,
  served: ServedResource,
  request: ApiRequest,
  atRevision: number,
): StoredObject {
  const { namespace, name } = request;
  const isNow = atRevision >= store.revision;
  const found = isNow
    ? store.get(served, { namespace, name })
    : store
        .list(served, atRevision)
        .find(({ metadata }) => metadata.name === name && (metadata.namespace ?? '') === namespace);
  if (found === undefined) throw refusals.notFound({ collection: collectionName(served.resource), name });
  return found;
}

/** Whether the request's namespace and selectors let an object through. */
export function selectorOf(served: ServedResource, { namespace, query }: ApiRequest): Selector {
  const labels = query.get('labelSelector') ?? '';
  const fields = query.get('fieldSelector') ?? '';
  const tests: readonly Selector[] = [
    ...(namespace === '' ? [] : [({ metadata }: Parameters<Selector>[0]) => metadata.namespace === namespace]),
    ...(labels === '' ? [] : [labelSelector(labels)]),
    ...(fields === '' ? [] : [fieldSelector(fields, served)]),
  ];
  return (object) => tests.every((test) => test(object));
}

interface Continuation {
  readonly revision: number;
  /** `namespace/name` of the last object of the page before. */
  readonly after: string;
}

function encodeContinuation(continuation: Continuation): string {
  return Buffer.from(JSON.stringify(continuation)).toString('base64url');
}

function decodeContinuation(text: string): Continuation {
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as Continuation;
}

function rowKey({ metadata }: StoredObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}

export function readList(store: ObjectStore, served: ServedResource, request: ApiRequest, atRevision: number): Json {
  const { query } = request;
  const token = query.get('continue') ?? '';
  const from = token === '' ? undefined : decodeContinuation(token);
  const revision = from?.revision ?? exactRevision(query) ?? atRevision;
  if (revision === store.revision) store.catchUp(served);
  if (revision < store.compactedTo)
    throw refusals.expired('The provided continue parameter is too old to display a consistent list result.');
  const isSelected = selectorOf(served, request);
  const rows = store
    .list(served, revision)
    .filter((object) => isSelected(object) && (from === undefined || rowKey(object) > from.after));
  const limit = Number(query.get('limit') ?? '0');
  const page = limit > 0 ? rows.slice(0, limit) : rows;
  const last = page.at(-1);
  const isCut = last !== undefined && page.length < rows.length;
  return {
    kind: `${served.resource.kind}List`,
    apiVersion: apiVersionOf(served.resource),
    metadata: {
      resourceVersion: String(revision),
      ...(isCut
        ? {
            continue: encodeContinuation({ revision, after: rowKey(last) }),
            remainingItemCount: rows.length - page.length,
          }
        : {}),
    },
    items: page,
  };
}

function exactRevision(query: URLSearchParams): number | undefined {
  return query.get('resourceVersionMatch') === 'Exact' ? Number(query.get('resourceVersion')) : undefined;
}
