/** The applier on an API server. `applier.ts` lists its guarantees. */
import { ANNOTATIONS, FIELD_MANAGERS, GROUP } from '@retainer/contract/api/names';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import type { Clock } from '@retainer/contract/std/clock';
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import { sha256Hex } from '@retainer/contract/std/hash';
import { ApiError, isConflict, isNotFound, withoutQuotedValues } from '@retainer/kube/api-error';
import type { KubeClient } from '@retainer/kube/kube-client';
import {
  isControlledBy,
  keyOf,
  keyText,
  VERSION_OF_NOTHING,
  type KubeObject,
  type OwnerReference,
} from '@retainer/kube/kube-object';
import { apiVersionOf, type Resource } from '@retainer/kube/resource';
import { resources } from '@retainer/kube/resources';
import { secondTime } from '@retainer/kube/lease-record';
import {
  RootGoneError,
  type Applier,
  type ChildResult,
  type DesiredChild,
  type EventText,
  type NewCondition,
  type StatusPatch,
} from './applier.ts';
import { covers } from './covers.ts';
import { mergePatch } from './merge-patch.ts';
import { nextConditions, type StoredCondition } from './next-conditions.ts';
import { hasOldProgress, overProgress, withProgress } from './with-progress.ts';

export interface ApplierParts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly record: (regarding: KubeObject, event: EventText) => void;
}

/** The last write by this process. Without it, a value that a server normalises would be written again in every pass. */
interface LastWrite {
  /** Resource version judged before the write: a cache that still shows it has not seen the write. */
  readonly judged: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly hash: string;
}

/** A root that existed at the start of a pass counts as existing until its end. */
const ROOT_SEEN_MS = 2000;
/** Roots of all passes of some seconds. */
const ROOTS_SEEN_MAX = 1000;

/** Some four children and a status for each of 10,000 agents; a dropped entry costs one needless write. */
const LAST_WRITES_MAX = 50_000;

export class KubeApplier implements Applier {
  readonly #parts: ApplierParts;
  readonly #lastWrites = new Map<string, LastWrite>();
  /** Uid → moment at which the API server itself last showed the root. */
  readonly #rootsSeenMs = new Map<string, number>();

  constructor(parts: ApplierParts) {
    this.#parts = parts;
  }

  async applyChild(
    root: KubeObject,
    child: DesiredChild,
    live: KubeObject | undefined,
    signal: AbortSignal,
  ): Promise<ChildResult> {
    const desired = prepared(root, child);
    try {
      const known = live ?? (await this.#parts.client.get(child.resource, keyOf(desired), { signal }));
      if (known === undefined) {
        await this.#checkRoot(root, signal);
        return await this.#write(child.resource, withVersionOfNothing(desired), { judged: undefined, signal });
      }
      const stranger = strangerMessage(root, child, known);
      if (stranger !== undefined) return { type: 'NameTaken', message: stranger };
      if (this.#isAsDesired(child.resource, known, desired)) return { type: 'Unchanged', live: known };
      return await this.#write(child.resource, withUid(desired, known), { judged: known, signal });
    } catch (cause) {
      signal.throwIfAborted();
      return { type: 'Failed', error: failed('apply', child.resource, desired, cause) };
    }
  }

  async restore(resource: Resource, live: KubeObject, desired: KubeObject, signal: AbortSignal): Promise<boolean> {
    const { resourceVersion } = live.metadata;
    const spec = mergePatch(specOf(live), specOf(desired));
    if (resourceVersion === undefined || Object.keys(spec).length === 0) return false;
    const fieldManager = FIELD_MANAGERS.operatorChildren;
    try {
      const patch = { metadata: { resourceVersion }, spec };
      await this.#parts.client.mergePatch(resource, keyOf(live), patch, { fieldManager, signal });
      return true;
    } catch (cause) {
      // A changed object brings its own event.
      if (isConflict(cause) || isNotFound(cause)) return false;
      throw failed('restore', resource, live, cause);
    }
  }

  async remove(resource: Resource, live: KubeObject, signal: AbortSignal): Promise<boolean> {
    const { uid, resourceVersion } = live.metadata;
    if (uid === undefined || resourceVersion === undefined) return false;
    try {
      return await this.#parts.client.delete(resource, keyOf(live), { uid, resourceVersion }, { signal });
    } catch (cause) {
      // A changed object brings its own event; a refusal without a change brings none.
      const now = isConflict(cause) ? await this.#parts.client.get(resource, keyOf(live), { signal }) : live;
      if (now?.metadata.resourceVersion !== resourceVersion) return false;
      throw failed('delete', resource, live, cause);
    }
  }

  async isGone(
    resource: Resource,
    object: { readonly namespace: string; readonly name: string; readonly uid?: string },
    signal: AbortSignal,
  ): Promise<boolean> {
    const live = await this.#parts.client.get(resource, object, { signal });
    return live === undefined || (object.uid !== undefined && live.metadata.uid !== object.uid);
  }

  async applyStatus(resource: Resource, root: KubeObject, status: StatusPatch, signal: AbortSignal): Promise<boolean> {
    const stored = storedStatus(root);
    const now = secondTime(this.#parts.clock.nowMs());
    const conditions = nextConditions(withProgress(resource.kind, status.conditions), {
      stored: stored.conditions,
      generation: root.metadata.generation,
      now,
    });
    if (isStatusAsDesired(stored, conditions, status.fields)) return false;
    const hash = hashOf({ conditions: status.conditions, fields: status.fields, generation: root.metadata.generation });
    const place = `${placeOf(resource, root)} ${status.fieldManager}`;
    if (this.#isLastWrite(place, root, hash)) return false;
    try {
      const over = overProgress(stored.conditions, conditions).map((it) => ({ ...it, lastTransitionTime: now }));
      const written = await this.#writeStatus(resource, root, { ...status, conditions, over }, signal);
      this.#remember(place, { judged: root, written, hash });
      return true;
    } catch (cause) {
      // The object is gone, or another one has its name; either brings its own event.
      if (isNotFound(cause) || isOtherObject(cause)) return false;
      throw failed('write the status of', resource, root, cause);
    }
  }

  /** @param over  conditions to take away; written as False where the API server does not let them go, since others own a part */
  async #writeStatus(
    resource: Resource,
    root: KubeObject,
    { fieldManager, conditions, over, fields }: StatusPatch & { readonly over: readonly NewCondition[] },
    signal: AbortSignal,
  ): Promise<KubeObject> {
    const apply = (all: readonly NewCondition[]): Promise<KubeObject> =>
      this.#parts.client.apply(resource, statusObject(resource, root, { conditions: all, ...fields }), {
        ...{ fieldManager, signal },
        force: true,
        subresource: 'status',
      });
    try {
      return await apply(conditions);
    } catch (error) {
      if (over.length === 0 || !isUnprocessable(error)) throw error;
      return apply([...conditions, ...over]);
    }
  }

  event(regarding: KubeObject, event: EventText): void {
    this.#parts.record(regarding, event);
  }

  #isAsDesired(resource: Resource, live: KubeObject, desired: KubeObject): boolean {
    const hash = desired.metadata.annotations?.[ANNOTATIONS.appliedHash] ?? '';
    if (this.#isLastWrite(placeOf(resource, live), live, hash)) return true;
    if (live.metadata.annotations?.[ANNOTATIONS.appliedHash] !== hash) return false;
    // The cache does not keep content that can never change, so there is nothing to compare.
    return covers(live, live['immutable'] === true ? { metadata: desired.metadata } : desired);
  }

  async #write(
    resource: Resource,
    desired: KubeObject,
    { judged, signal }: { readonly judged: KubeObject | undefined; readonly signal: AbortSignal },
  ): Promise<ChildResult> {
    const written = await this.#parts.client.apply(resource, desired, {
      fieldManager: FIELD_MANAGERS.operatorChildren,
      force: true,
      signal,
    });
    const hash = desired.metadata.annotations?.[ANNOTATIONS.appliedHash] ?? '';
    this.#remember(placeOf(resource, written), { judged, written, hash });
    return { type: 'Written', live: written };
  }

  /** Makes nothing for a root that only a cache has: it would be collected. @throws if the API server shows none */
  async #checkRoot(root: KubeObject, signal: AbortSignal): Promise<void> {
    const { uid } = root.metadata;
    // A root without a uid was never stored: the canary is its own root.
    if (uid === undefined) return;
    const nowMs = this.#parts.clock.monotonicMs();
    if (nowMs - (this.#rootsSeenMs.get(uid) ?? Number.NEGATIVE_INFINITY) < ROOT_SEEN_MS) return;
    const resource = Object.values<Resource>(resources).find(({ kind }) => kind === root.kind);
    if (resource === undefined) throw new Error(`no resource has the kind ${root.kind ?? 'of the root'}`);
    if (await this.isGone(resource, { ...keyOf(root), uid }, signal))
      throw new RootGoneError(
        `${resource.kind} ${keyText(keyOf(root))} no longer exists; the cache does not show this yet`,
      );
    this.#rootsSeenMs.delete(uid);
    this.#rootsSeenMs.set(uid, nowMs);
    forgetOldest(this.#rootsSeenMs, ROOTS_SEEN_MAX);
  }

  #isLastWrite(place: string, live: KubeObject, hash: string): boolean {
    const last = this.#lastWrites.get(place);
    if (last?.hash !== hash) return false;
    const { resourceVersion } = live.metadata;
    return (
      resourceVersion === last.resourceVersion || (resourceVersion !== undefined && resourceVersion === last.judged)
    );
  }

  #remember(
    place: string,
    {
      judged,
      written,
      hash,
    }: { readonly judged: KubeObject | undefined; readonly written: KubeObject; readonly hash: string },
  ): void {
    const { resourceVersion } = written.metadata;
    this.#lastWrites.delete(place);
    this.#lastWrites.set(place, { judged: judged?.metadata.resourceVersion, resourceVersion, hash });
    forgetOldest(this.#lastWrites, LAST_WRITES_MAX);
  }
}

function placeOf(resource: Resource, { metadata }: KubeObject): string {
  return `${resource.group}/${resource.plural} ${metadata.namespace ?? ''}/${metadata.name} ${metadata.uid ?? ''}`;
}

function hashOf(value: unknown): string {
  return sha256Hex(canonicalJson(value));
}

/** The child with its owner, and with the hash of all that is applied. */
function prepared(root: KubeObject, { resource, object, isOutsideNamespace, isKept }: DesiredChild): KubeObject {
  const ownerReferences = isOutsideNamespace === true || isKept === true ? {} : { ownerReferences: [ownerOf(root)] };
  const whole: KubeObject = {
    ...object,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: { ...object.metadata, ...ownerReferences },
  };
  const annotations = { ...whole.metadata.annotations, [ANNOTATIONS.appliedHash]: hashOf(whole) };
  return { ...whole, metadata: { ...whole.metadata, annotations } };
}

function ownerOf({ apiVersion = '', kind = '', metadata }: KubeObject): OwnerReference {
  return {
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: false,
  };
}

function withUid(object: KubeObject, { metadata: { uid } }: KubeObject): KubeObject {
  return uid === undefined ? object : { ...object, metadata: { ...object.metadata, uid } };
}

/** An object that somebody made in this moment stays: the conflict fails the pass, and the next pass judges it. */
function withVersionOfNothing(object: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: VERSION_OF_NOTHING } };
}

/** Why `live` is not this root's child; undefined if it is. */
function strangerMessage(root: KubeObject, child: DesiredChild, live: KubeObject): string | undefined {
  const what = `${child.resource.kind} ${live.metadata.name}`;
  if (live.metadata.deletionTimestamp !== undefined)
    return `${what} is being deleted; the operator then creates it again`;
  const isLabelled = child.isOutsideNamespace === true || child.isKept === true;
  const isOurs = isLabelled ? hasOurLabels(child.object, live) : isControlledBy(live, root);
  if (isOurs) return undefined;
  if (isOfEarlier(root, live))
    return `${what} belongs to an earlier ${root.kind} of this name; the operator creates it again after its deletion`;
  return `${what} exists and has another owner; delete or rename it`;
}

/** The garbage collector deletes such an object by itself, so no person has to act. */
function isOfEarlier({ kind, metadata: { name } }: KubeObject, { metadata }: KubeObject): boolean {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner?.kind === kind && owner?.name === name;
}

function hasOurLabels(desired: KubeObject, live: KubeObject): boolean {
  const ours = Object.entries(desired.metadata.labels ?? {}).filter(([key]) => key.startsWith(`${GROUP}/`));
  return ours.length > 0 && ours.every(([key, value]) => live.metadata.labels?.[key] === value);
}

interface StoredStatus {
  readonly conditions: readonly StoredCondition[];
  readonly [field: string]: unknown;
}

function storedStatus(root: KubeObject): StoredStatus {
  const status = (root['status'] ?? {}) as Partial<StoredStatus>;
  return { ...status, conditions: status.conditions ?? [] };
}

function isStatusAsDesired(
  stored: StoredStatus,
  conditions: readonly StoredCondition[],
  fields: StatusPatch['fields'],
): boolean {
  if (hasOldProgress(stored.conditions, conditions)) return false;
  const hasConditions = conditions.every((condition) =>
    covers(
      stored.conditions.find(({ type }) => type === condition.type),
      condition,
    ),
  );
  return (
    hasConditions &&
    Object.entries(fields).every(([field, value]) =>
      value === undefined ? stored[field] === undefined : covers(stored[field], value),
    )
  );
}

function statusObject(resource: Resource, { metadata }: KubeObject, status: object): KubeObject {
  const { name, namespace, uid } = metadata;
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
    },
    status,
  };
}

/** The API server refuses a write to a replaced object as a change of its uid. */
function isOtherObject(error: unknown): boolean {
  return isUnprocessable(error) && error.message.includes('metadata.uid');
}

function isUnprocessable(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 422;
}

function failed(deed: string, resource: Resource, { metadata }: KubeObject, cause: unknown): Error {
  const why = withoutQuotedValues(cause instanceof Error ? cause.message : String(cause));
  return new Error(`failed to ${deed} ${resource.kind} ${metadata.namespace ?? ''}/${metadata.name}: ${why}`, {
    cause,
  });
}

function specOf(object: KubeObject): Readonly<Record<string, unknown>> {
  return (object['spec'] ?? {}) as Readonly<Record<string, unknown>>;
}
