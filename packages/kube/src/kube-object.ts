/** The fields common to all objects of the API server. Code that knows the kind narrows the rest. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: KubeMetadata;
  readonly [field: string]: unknown;
}

export interface KubeMetadata {
  readonly name: string;
  /** Absent for objects of the whole cluster. */
  readonly namespace?: string;
  readonly uid?: string;
  /** Opaque: compared for equality only. */
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ObjectKey {
  /** Empty for objects of the whole cluster. */
  readonly namespace: string;
  readonly name: string;
}

/**
 * A resource version that no object has, since the store's first write is number 2. A server-side apply with this version
 * creates an object, and is a conflict if one of its name exists.
 *
 * Source: Kubernetes, etcd: revision 1 is the empty store; k8s.io/apiserver, `Store.Update` compares versions only where an object exists.
 * The contract suite asks every server for it.
 */
export const VERSION_OF_NOTHING = '1';

/** `namespace/name`, for queues, indexes and logs. */
export function keyText({ namespace, name }: ObjectKey): string {
  return `${namespace}/${name}`;
}

/** Inverse of {@link keyText}: neither part contains a slash. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf('/');
  return { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

export function keyOf({ metadata }: KubeObject): ObjectKey {
  return { namespace: metadata.namespace ?? '', name: metadata.name };
}

export function isControlledBy({ metadata }: KubeObject, owner: KubeObject): boolean {
  const { ownerReferences = [] } = metadata;
  return ownerReferences.some(({ controller, uid }) => controller === true && uid === owner.metadata.uid);
}
