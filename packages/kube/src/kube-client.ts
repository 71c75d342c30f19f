/**
 * The calls to an API server that Retainer needs, the same for every kind. One implementation speaks HTTPS; tests use it
 * against an API server in their own process and against a real one.
 *
 * Every call rejects with an `ApiError` (the server answered) or a `ConnectionError` (it did not), has a deadline of its own,
 * and stops when its signal is aborted.
 */
import type { KubeObject, ObjectKey } from './kube-object.ts';
import type { Resource } from './resource.ts';

export interface KubeClient {
  /** @returns undefined if the object does not exist. Always a quorum read that no cache answers. */
  get(resource: Resource, key: ObjectKey, options?: CallOptions): Promise<KubeObject | undefined>;
  /** One page. */
  list(resource: Resource, options: ListOptions): Promise<ObjectPage>;
  /** @throws ApiError AlreadyExists */
  create(resource: Resource, object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  /**
   * Server-side apply. `object` holds exactly the fields that the manager owns. A field that it drops and nobody else owns is
   * removed.
   *
   * @throws ApiError Conflict  another manager owns a field with another value, unless `force`
   */
  apply(resource: Resource, object: KubeObject, options: ApplyOptions): Promise<KubeObject>;
  /** JSON merge patch. With `resourceVersion` in the patch's metadata it applies to that version only. */
  mergePatch(resource: Resource, key: ObjectKey, patch: object, options?: PatchOptions): Promise<KubeObject>;
  /** Replaces an object if it has the resource version in `object`. @throws ApiError Conflict */
  replace(resource: Resource, object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  /**
   * Deletes the object with this uid and, if given, this resource version. Another object of that name stays.
   *
   * @returns false if it is gone already, or if another object has its name
   * @throws ApiError Conflict  the uid is the same but the resource version is not: look again before deleting
   */
  delete(
    resource: Resource,
    key: ObjectKey,
    precondition: DeletePrecondition,
    options?: DeleteOptions,
  ): Promise<boolean>;
  /**
   * One watch request. Resolves when the server ends it; rejects when it breaks. `onEvent` is called in the order of arrival.
   *
   * @throws ApiError 410  `resourceVersion` is too old, whether the server says so in the status or inside the stream
   */
  watch(resource: Resource, options: WatchOptions, onEvent: (event: WatchEvent) => void): Promise<void>;
  /** Any other endpoint: reviews of access, discovery, health. The answer is JSON, or text if the server sends no JSON. */
  raw(method: 'GET' | 'POST', path: string, body?: unknown, options?: RawOptions): Promise<unknown>;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Of a call that may change something. */
export interface ChangeOptions extends CallOptions {
  /**
   * Called when the connection is there, right before the first byte leaves: credentials, a free connection and its handshake
   * may have taken any time. If it throws, nothing is sent.
   */
  readonly beforeSending?: (() => void) | undefined;
}

export interface RawOptions extends ChangeOptions {
  /** The requested form of the answer; JSON by default. For metadata only: {@link METADATA_ONLY}. */
  readonly accept?: string;
}

/** An object without its content: of a Secret, the data does not leave the server. */
export const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

export interface ListOptions extends CallOptions {
  /** Absent: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Objects in one page. */
  readonly limit?: number | undefined;
  /** From the previous page. */
  readonly continue?: string | undefined;
}

export interface ObjectPage {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
  /** Present while there are more pages. */
  readonly continue?: string | undefined;
}

export interface WriteOptions extends ChangeOptions {
  readonly fieldManager?: string;
  readonly isDryRun?: boolean;
}

export interface PatchOptions extends WriteOptions {
  readonly subresource?: 'status';
}

export interface ApplyOptions extends PatchOptions {
  readonly fieldManager: string;
  /** Takes fields from other managers: for fields that the manager defines as its own. */
  readonly force: boolean;
}

export interface DeletePrecondition {
  readonly uid: string;
  readonly resourceVersion?: string;
}

export interface DeleteOptions extends ChangeOptions {
  /** Background by default: dependents go after it. */
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
}

export interface WatchOptions extends CallOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly resourceVersion: string;
  /** The server ends the watch after this time. */
  readonly timeoutSeconds: number;
  /** Silence of this length, without even a bookmark, means that the connection is dead. */
  readonly readDeadlineMs: number;
  /** The server accepted the watch: a sign of life before the first event. */
  readonly onOpen?: () => void;
}

export type WatchEvent =
  | { readonly type: 'Added' | 'Modified' | 'Deleted'; readonly object: KubeObject }
  | { readonly type: 'Bookmark'; readonly resourceVersion: string }
  /** A line that is no event; nothing after it can be trusted. */
  | { readonly type: 'Garbage'; readonly reason: string };
