import { invariant } from '@retainer/contract/std/invariant';
import type { Cache, IndexFunction } from './cache.ts';
import { keyOf, keyText, type KubeObject, type ObjectKey } from './kube-object.ts';

/** A change of one object: it appeared, changed or disappeared, or is only reported again. */
export interface Change {
  /** The last known state; undefined if the object did not exist. */
  readonly before: KubeObject | undefined;
  /** Undefined if the object is gone. */
  readonly after: KubeObject | undefined;
  /** Reported because of the first list or a resync, not because of a new event: it can wait for real changes. */
  readonly isInitial: boolean;
}

interface Index {
  readonly values: IndexFunction;
  readonly shelves: Map<string, Shelf>;
}

/** The objects of one resource and selector. Only its reflectors write it; the objects themselves never change. */
export class ObjectCache implements Cache {
  readonly #all = new Shelf();
  readonly #namespaces: Index = { values: ({ metadata }) => [metadata.namespace ?? ''], shelves: new Map() };
  readonly #indexes: ReadonlyMap<string, Index>;

  constructor(indexes: Readonly<Record<string, IndexFunction>> = {}) {
    this.#indexes = new Map(Object.entries(indexes).map(([name, values]) => [name, { values, shelves: new Map() }]));
  }

  get size(): number {
    return this.#all.objects.size;
  }

  get(key: ObjectKey): KubeObject | undefined {
    return this.#all.objects.get(keyText(key));
  }

  list(namespace?: string): readonly KubeObject[] {
    const shelf = namespace === undefined ? this.#all : this.#namespaces.shelves.get(namespace);
    return shelf?.sorted() ?? [];
  }

  byIndex(index: string, value: string): readonly KubeObject[] {
    const found = this.#indexes.get(index);
    invariant(found !== undefined, `no index "${index}" was declared`);
    return found.shelves.get(value)?.sorted() ?? [];
  }

  /** @returns what stood there before */
  put(object: KubeObject): KubeObject | undefined {
    const key = keyOf(object);
    const before = this.remove(key);
    const text = keyText(key);
    this.#all.put(text, object);
    for (const { values, shelves } of this.#everyIndex())
      for (const value of values(object)) {
        const shelf = shelves.get(value) ?? new Shelf();
        shelves.set(value, shelf);
        shelf.put(text, object);
      }
    return before;
  }

  /** @returns what stood there before */
  remove(key: ObjectKey): KubeObject | undefined {
    const text = keyText(key);
    const before = this.#all.objects.get(text);
    if (before === undefined) return undefined;
    this.#all.remove(text);
    for (const { values, shelves } of this.#everyIndex())
      for (const value of values(before)) {
        const shelf = shelves.get(value);
        shelf?.remove(text);
        if (shelf?.objects.size === 0) shelves.delete(value);
      }
    return before;
  }

  /** Makes the cache hold exactly these objects (of one namespace). @returns the changes; gone objects in their last state */
  replace(objects: readonly KubeObject[], namespace?: string): readonly Omit<Change, 'isInitial'>[] {
    const there = new Set(objects.map((object) => keyText(keyOf(object))));
    const gone = this.list(namespace).filter((object) => !there.has(keyText(keyOf(object))));
    const known = objects.map((after) => ({ before: this.get(keyOf(after)), after }));
    const changed = known.filter(({ before, after }) => before === undefined || !isSameVersion(before, after));
    for (const object of gone) this.remove(keyOf(object));
    for (const { after } of changed) this.put(after);
    return [...gone.map((before) => ({ before, after: undefined })), ...changed];
  }

  #everyIndex(): readonly Index[] {
    return [this.#namespaces, ...this.#indexes.values()];
  }
}

/** A subset of the objects. Sorted on request, and not again until it changes. */
class Shelf {
  readonly objects = new Map<string, KubeObject>();
  #sorted: readonly KubeObject[] | undefined;

  put(text: string, object: KubeObject): void {
    this.objects.set(text, object);
    this.#sorted = undefined;
  }

  remove(text: string): void {
    this.objects.delete(text);
    this.#sorted = undefined;
  }

  sorted(): readonly KubeObject[] {
    this.#sorted ??= [...this.objects.values()].toSorted(byKey);
    return this.#sorted;
  }
}

function byKey(a: KubeObject, b: KubeObject): number {
  return (
    compareText(a.metadata.namespace ?? '', b.metadata.namespace ?? '') || compareText(a.metadata.name, b.metadata.name)
  );
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function isSameVersion({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean {
  return a.uid === b.uid && a.resourceVersion === b.resourceVersion;
}
