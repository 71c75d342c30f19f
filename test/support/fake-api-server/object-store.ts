/**
 * All objects and every change of them, under one revision.
 *
 * I1 Revisions grow by one with each change; a change that changes nothing gets none.
 * I2 What was stored is never altered in place, so the state of any revision that is not compacted can be told.
 */
import { isDeepStrictEqual } from 'node:util';
import { keyOf, keyText, type ObjectKey } from '@retainer/kube/kube-object';
import type { StoredObject } from './json.ts';
import type { ServedResource } from './served-resource.ts';

export interface Change {
  readonly revision: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly served: ServedResource;
  /** Of a deletion: the last state, with the revision of the deletion. */
  readonly object: StoredObject;
  readonly before: StoredObject | undefined;
  /** Who caused it. */
  readonly user: string;
}

export class ObjectStore {
  readonly #objects = new Map<ServedResource, Map<string, StoredObject>>();
  readonly #history: Change[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #watchedTo = new Map<ServedResource, number>();
  /** What there was at the beginning, and nothing before it. */
  #base: ReadonlyMap<ServedResource, ReadonlyMap<string, StoredObject>> = new Map();
  #baseRevision = 0;
  #revision = 1;
  #compactedTo = 0;

  /** As many revisions ago, as far as anything is known of it. */
  revisionsAgo(count: number): number {
    return Math.max(this.#baseRevision, this.#revision - count);
  }

  get revision(): number {
    return this.#revision;
  }

  /** Oldest revision from which changes can be told. */
  get compactedTo(): number {
    return this.#compactedTo;
  }

  get(served: ServedResource, key: ObjectKey): StoredObject | undefined {
    return this.#objects.get(served)?.get(keyText(key));
  }

  /** In the order of namespace and name. */
  list(served: ServedResource, atRevision: number = this.#revision): readonly StoredObject[] {
    const objects = atRevision >= this.#revision ? this.#objects.get(served) : this.#stateAt(served, atRevision);
    return [...(objects ?? [])].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  #stateAt(served: ServedResource, revision: number): ReadonlyMap<string, StoredObject> {
    const state = new Map(this.#base.get(served));
    for (const change of this.#history) {
      if (change.revision > revision) break;
      if (change.served !== served) continue;
      const key = keyText(keyOf(change.object));
      if (change.type === 'DELETED') state.delete(key);
      else state.set(key, change.object);
    }
    return state;
  }

  /** Every object of every resource. */
  all(): readonly { readonly served: ServedResource; readonly object: StoredObject }[] {
    return [...this.#objects].flatMap(([served, objects]) =>
      [...objects.values()].map((object) => ({ served, object })),
    );
  }

  /** Stores the object under a new revision; what is there already, byte for byte, stays as it is. */
  put(served: ServedResource, object: StoredObject, user: string): StoredObject {
    const objects = this.#objects.get(served) ?? new Map<string, StoredObject>();
    this.#objects.set(served, objects);
    const key = keyText(keyOf(object));
    const before = objects.get(key);
    if (before !== undefined && isSame(before, object)) return before;
    const stored = this.#numbered(object);
    objects.set(key, stored);
    this.#append({ type: before === undefined ? 'ADDED' : 'MODIFIED', served, object: stored, before, user });
    return stored;
  }

  remove(served: ServedResource, object: StoredObject, user: string): StoredObject {
    this.#objects.get(served)?.delete(keyText(keyOf(object)));
    const last = this.#numbered(object);
    this.#append({ type: 'DELETED', served, object: last, before: object, user });
    return last;
  }

  #numbered(object: StoredObject): StoredObject {
    this.#revision += 1;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#revision) } };
  }

  #append(change: Omit<Change, 'revision'>): void {
    this.#history.push({ ...change, revision: this.#revision });
    this.#watchedTo.set(change.served, this.#revision);
    for (const listener of this.#listeners) listener();
  }

  /** Changes of a resource after a revision, oldest first. */
  changesSince(served: ServedResource, revision: number): readonly Change[] {
    const first = this.#history.findLastIndex((change) => change.revision <= revision) + 1;
    return this.#history.slice(first).filter((change) => change.served === served);
  }

  /**
   * How far the real server's watch cache of a resource would be: each resource has one of its own, and what happens to others
   * it hears of when it is asked for a list of now.
   */
  watchedTo(served: ServedResource): number {
    return this.#watchedTo.get(served) ?? this.#baseRevision;
  }

  /** A list of now was asked for. */
  catchUp(served: ServedResource): void {
    this.#watchedTo.set(served, this.#revision);
  }

  /** Everything that ever happened, oldest first. */
  get history(): readonly Change[] {
    return this.#history;
  }

  /** Takes the objects of another store, at its revision and without its past. */
  restore(rows: ReturnType<ObjectStore['all']>, revision: number): void {
    this.#objects.clear();
    for (const { served, object } of rows) {
      const objects = this.#objects.get(served) ?? new Map<string, StoredObject>();
      this.#objects.set(served, objects.set(keyText(keyOf(object)), object));
    }
    this.#base = new Map([...this.#objects].map(([served, objects]) => [served, new Map(objects)]));
    this.#baseRevision = revision;
    this.#revision = revision;
    this.#compactedTo = revision;
  }

  /** Watches and pages from before this revision are told that it is too old. */
  compact(revision: number): void {
    this.#compactedTo = Math.max(this.#compactedTo, Math.min(revision, this.#revision));
  }

  /** Called after each change. @returns how to stop it */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function isSame(one: StoredObject, other: StoredObject): boolean {
  const bare = ({ metadata: { resourceVersion: _version, ...metadata }, ...rest }: StoredObject): unknown => ({
    ...rest,
    metadata,
  });
  return isDeepStrictEqual(bare(one), bare(other));
}
