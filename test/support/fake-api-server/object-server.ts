/** What the server does with a request, without a wire: its table, its objects, who may do what. */
import type { Clock } from '@retainer/contract/std/clock';
import { sha256Hex } from '@retainer/contract/std/hash';
import { keyOf, type KubeObject, type ObjectKey } from '@retainer/kube/kube-object';
import { apiVersionOf, pathOf, type Resource } from '@retainer/kube/resource';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { AccessQuestion, Authorizer } from './access.ts';
import { parseRequest, type ApiRequest, type RawRequest } from './api-request.ts';
import { remove, removeCollection } from './deletion.ts';
import type { RequestFault } from './faults.ts';
import { collectGarbage } from './garbage-collector.ts';
import type { StoredObject } from './json.ts';
import { ObjectStore } from './object-store.ts';
import { answerOther } from './other-endpoints.ts';
import { readList, readOne, selectorOf } from './reads.ts';
import { ApiRefusal, refusals, statusOf } from './refusal.ts';
import { collectionName, defaultResources, servedResource, type ServedResource } from './served-resource.ts';
import { apply, create, mergePatch, replace, type Answer, type Write, type WriteWorld } from './writes.ts';

/** Made once: the schemas of our kinds take a tenth of a second, and a test of every fault makes hundreds of servers. */
const defaultTable = defaultResources.map((resource) => servedResource(resource));
/** Who writes by {@link ObjectServer.put}. */
const TEST_USER = 'test';

export interface ObjectServerOptions {
  /** Of timestamps, bookmarks and the ends of watches; the system's by default. */
  readonly clock?: Clock;
  /** Undefined: {@link defaultResources}. */
  readonly resources?: readonly Resource[];
  /** Undefined: everybody may do everything. */
  readonly authorize?: Authorizer;
}

export interface SavedObjects {
  readonly rows: readonly { readonly resource: Resource; readonly object: StoredObject }[];
  readonly revision: number;
  readonly births: ReadonlyMap<string, number>;
}

interface WriteManner {
  readonly subresource?: 'status' | undefined;
  readonly contentType?: string;
  readonly query?: URLSearchParams;
}

export class ObjectServer {
  readonly store = new ObjectStore();
  protected readonly clock: Clock;
  readonly #options: ObjectServerOptions;
  readonly #table: readonly ServedResource[];
  readonly #world: WriteWorld;
  /** How many objects of an address there ever were. */
  readonly #births = new Map<string, number>();

  constructor(options: ObjectServerOptions = {}) {
    this.#options = options;
    this.clock = options.clock ?? systemClock;
    this.#table = options.resources?.map((resource) => servedResource(resource)) ?? defaultTable;
    this.#world = { store: this.store, nowMs: () => this.clock.nowMs(), newUid: (address) => this.#newUid(address) };
  }

  protected parse(raw: RawRequest): ApiRequest {
    return parseRequest(raw, this.#table);
  }

  /** One object as it is now. */
  get(resource: Resource, key: ObjectKey): StoredObject | undefined {
    return this.store.get(this.#servedOf(resource), key);
  }

  list(resource: Resource, namespace?: string): readonly StoredObject[] {
    const all = this.store.list(this.#servedOf(resource));
    return namespace === undefined ? all : all.filter(({ metadata }) => metadata.namespace === namespace);
  }

  /** Creates an object, or replaces it, status included, as user `test`; no HTTP, no faults. @throws Refusal */
  put(resource: Resource, object: KubeObject): StoredObject {
    const key = keyOf(object);
    const served = this.#servedOf(resource);
    if (this.get(resource, key) === undefined) this.#write('POST', served, { ...object, metadata: bare(object) });
    else this.#write('PUT', served, { ...object, metadata: bare(object) });
    if (served.hasStatus && object['status'] !== undefined) this.putStatus(resource, object);
    return this.#mustGet(resource, key);
  }

  /** Replaces the status, as user `test`. @throws Refusal */
  putStatus(resource: Resource, object: KubeObject): StoredObject {
    this.#write('PUT', this.#servedOf(resource), { ...object, metadata: bare(object) }, { subresource: 'status' });
    return this.#mustGet(resource, keyOf(object));
  }

  /** Server-side apply by force, as user `test`. @throws Refusal */
  applyAs(manager: string, resource: Resource, object: KubeObject, subresource?: 'status'): StoredObject {
    const contentType = 'application/apply-patch+yaml';
    const query = new URLSearchParams({ fieldManager: manager, force: 'true' });
    this.#write('PATCH', this.#servedOf(resource), object, { subresource, contentType, query });
    return this.#mustGet(resource, keyOf(object));
  }

  /** Deletes an object, if it is there. */
  remove(resource: Resource, key: ObjectKey, options: object = { gracePeriodSeconds: 0 }): void {
    if (this.get(resource, key) === undefined) return;
    const metadata = { name: key.name, ...(key.namespace === '' ? {} : { namespace: key.namespace }) };
    this.#write('DELETE', this.#servedOf(resource), { ...options, metadata });
  }

  /** All objects as they are, to go on from in another server. */
  save(): SavedObjects {
    return {
      rows: this.store.all().map(({ served: { resource }, object }) => ({ resource, object })),
      revision: this.store.revision,
      births: new Map(this.#births),
    };
  }

  load({ rows, revision, births }: SavedObjects): void {
    this.store.restore(
      rows.map(({ resource, object }) => ({ served: this.#servedOf(resource), object })),
      revision,
    );
    for (const [address, count] of births) this.#births.set(address, count);
  }

  /** One pass of the collector. @returns how many objects it changed */
  collectGarbage(): number {
    return collectGarbage(this.#world);
  }

  /** Forgets how things came to be before this revision; by default everything up to now. */
  compact(revision: number = this.store.revision): void {
    this.store.compact(revision);
  }

  #servedOf(resource: Resource): ServedResource {
    const served = this.#table.find(
      ({ resource: { group, plural } }) => group === resource.group && plural === resource.plural,
    );
    if (served === undefined) throw new Error(`the server has no ${resource.plural}: add it to its table`);
    return served;
  }

  #mustGet(resource: Resource, key: ObjectKey): StoredObject {
    const object = this.get(resource, key);
    if (object === undefined) throw new Error(`no ${resource.plural} ${key.namespace}/${key.name}`);
    return object;
  }

  /** The same in every course of events: what is named after a uid has the same name, too. */
  #newUid(address: string): string {
    const births = (this.#births.get(address) ?? 0) + 1;
    this.#births.set(address, births);
    const hex = sha256Hex(`${address} ${births}`);
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      `8${hex.slice(17, 20)}`,
      hex.slice(20, 32),
    ].join('-');
  }

  #write(method: string, served: ServedResource, body: KubeObject, how: WriteManner = {}): void {
    const { resource } = served;
    const { name, namespace } = body.metadata;
    const { subresource, contentType = 'application/json', query } = how;
    const path = pathOf(resource, method === 'POST' ? { namespace } : { namespace, name, subresource });
    const url = query === undefined ? path : `${path}?${query.toString()}`;
    const typed = method === 'DELETE' ? body : { ...body, apiVersion: apiVersionOf(resource), kind: resource.kind };
    const raw = { index: 0, user: TEST_USER, method, url, contentType, userAgent: TEST_USER, body: typed };
    this.#execute(this.parse(raw), 0);
  }

  protected answerTo(request: ApiRequest, fault: RequestFault | undefined): Answer | 'Watch' {
    try {
      if (fault?.type === 'Refuse') throw new ApiRefusal({ message: `refused by a test: ${fault.reason}`, ...fault });
      const { served } = request;
      if (served === undefined) return answerOther(request, { table: this.#table, authorize: this.#authorize });
      this.#checkAccess(request, served);
      if (request.verb === 'watch') {
        selectorOf(served, request);
        return 'Watch';
      }
      return this.#execute(request, fault?.type === 'Stale' ? fault.revisions : 0);
    } catch (error) {
      if (!(error instanceof ApiRefusal)) throw error;
      const { status, retryAfterSeconds } = error;
      return { status, body: statusOf(error), ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
    }
  }

  readonly #authorize: Authorizer = (question) => this.#options.authorize?.(question) ?? true;

  #checkAccess(request: ApiRequest, served: ServedResource): void {
    const { user, verb, subresource, namespace, query } = request;
    // As the real one: who asks for one name asks for that object.
    const name = request.name === '' ? onlyName(query.get('fieldSelector')) : request.name;
    const { group, plural } = served.resource;
    const question: AccessQuestion = {
      user,
      verb: verb === 'apply' ? 'patch' : verb,
      group,
      resource: plural,
      subresource,
      namespace,
      name,
    };
    const isNew = verb === 'apply' && this.store.get(served, { namespace, name }) === undefined;
    const questions = isNew ? [question, { ...question, verb: 'create' }] : [question];
    for (const asked of questions)
      if (!this.#authorize(asked))
        throw refusals.forbidden(
          `${collectionName(served.resource)} is forbidden: User "${user}" cannot ${asked.verb} resource "${plural}" in API group "${group}" in the namespace "${namespace}"`,
        );
  }

  #execute(request: ApiRequest, revisionsBehind: number): Answer {
    const { served, subresource, verb } = request;
    if (served === undefined) throw refusals.noPath();
    if (subresource !== undefined && (subresource !== 'status' || !served.hasStatus)) throw refusals.noPath();
    const write: Write = { request, served, world: this.#world };
    const atRevision = this.store.revisionsAgo(revisionsBehind);
    switch (verb) {
      case 'get':
        return { status: 200, body: readOne(this.store, served, request, atRevision) };
      case 'list':
        return { status: 200, body: readList(this.store, served, request, atRevision) };
      case 'create':
        return create(write);
      case 'update':
        return replace(write);
      case 'patch':
        return mergePatch(write);
      case 'apply':
        return apply(write);
      case 'delete':
        return remove(write);
      case 'deletecollection':
        return removeCollection(write);
      case 'watch':
      case 'other':
        throw refusals.methodNotAllowed();
    }
  }
}

/** Metadata as a client may send it: without what the server gave. */
function bare({ metadata }: KubeObject): KubeObject['metadata'] {
  const { name, namespace, labels, annotations, ownerReferences, finalizers } = metadata;
  const given = { namespace, labels, annotations, ownerReferences, finalizers };
  return { name, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
}

function onlyName(fieldSelector: string | null): string {
  return /^metadata\.name==?([^,]+)$/.exec(fieldSelector ?? '')?.[1] ?? '';
}
