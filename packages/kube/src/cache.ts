/** A reflector's cache of one resource: the last known objects, and indexes over them. Read-only for all others. */
import type { KubeObject, ObjectKey } from './kube-object.ts';

export interface Cache<T extends KubeObject = KubeObject> {
  get(key: ObjectKey): T | undefined;
  /** In the order of namespace and name. */
  list(namespace?: string): readonly T[];
  /** Objects for which the index gives this value. @throws on an index that was not declared */
  byIndex(index: string, value: string): readonly T[];
  readonly size: number;
}

/** The values under which an object is found; none for an object that the index does not concern. */
export type IndexFunction = (object: KubeObject) => readonly string[];
