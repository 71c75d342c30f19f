import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import type { KubeObject } from './kube-object.ts';
import { ObjectCache } from './object-cache.ts';

interface Given {
  readonly namespace: string;
  readonly name: string;
  readonly version: number;
  readonly owners: readonly string[];
}

const object = ({ namespace, name, version, owners }: Given): KubeObject => ({
  metadata: { namespace, name, uid: name, resourceVersion: String(version) },
  owners,
});
const indexes = { owner: ({ owners }: KubeObject) => owners as readonly string[] };

const given = fc.record<Given>({
  namespace: fc.constantFrom('a', 'a-b', 'b'),
  name: fc.constantFrom('1', '2', '3'),
  version: fc.nat(3),
  owners: fc.uniqueArray(fc.constantFrom('x', 'y', 'z')),
});
const step = fc.oneof(
  fc.record({ type: fc.constant('Put' as const), given }),
  fc.record({ type: fc.constant('Remove' as const), given }),
  fc.record({
    type: fc.constant('Replace' as const),
    all: fc.uniqueArray(given, { selector: ({ namespace, name }) => `${namespace}/${name}`, maxLength: 5 }),
    namespace: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
  }),
);

describe('a cache', () => {
  verifies(
    'kube:cache-indexes',
    'finds by index and namespace what a search finds, in order, whatever was done to it',
    () => {
      fc.assert(
        fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
          const cache = new ObjectCache(indexes);
          const model = new Map<string, KubeObject>();
          for (const step of steps)
            if (step.type === 'Put') {
              const { namespace, name } = step.given;
              expect(cache.put(object(step.given))).toBe(model.get(`${namespace}/${name}`));
              model.set(`${namespace}/${name}`, cache.get(step.given) as KubeObject);
            } else if (step.type === 'Remove') {
              const { namespace, name } = step.given;
              expect(cache.remove(step.given)).toBe(model.get(`${namespace}/${name}`));
              model.delete(`${namespace}/${name}`);
            } else {
              const { namespace } = step;
              const all = step.all.filter((one) => namespace === undefined || one.namespace === namespace);
              cache.replace(all.map(object), namespace);
              const old = [...model].filter(([, { metadata }]) => [undefined, metadata.namespace].includes(namespace));
              for (const [key] of old) model.delete(key);
              for (const one of all) model.set(`${one.namespace}/${one.name}`, cache.get(one) as KubeObject);
              expect(all.map((one) => cache.get(one)?.metadata.resourceVersion)).toEqual(
                all.map(({ version }) => String(version)),
              );
            }
          const sorted = [...model.entries()]
            .toSorted(([a], [b]) => (a.replace('/', '\0') < b.replace('/', '\0') ? -1 : 1))
            .map(([, value]) => value);
          expect(cache.list()).toEqual(sorted);
          expect(cache.size).toBe(sorted.length);
          for (const namespace of ['a', 'a-b', 'b', 'c'])
            expect(cache.list(namespace)).toEqual(sorted.filter(({ metadata }) => metadata.namespace === namespace));
          for (const owner of ['x', 'y', 'z', 'nobody'])
            expect(cache.byIndex('owner', owner)).toEqual(
              sorted.filter(({ owners }) => (owners as string[]).includes(owner)),
            );
        }),
      );
    },
  );

  verifies('kube:list-replaces', 'tells what a list changed, and of what is gone its last known state', () => {
    const cache = new ObjectCache(indexes);
    const [same, changed, gone, elsewhere, fresh] = [
      object({ namespace: 'a', name: 'same', version: 1, owners: [] }),
      object({ namespace: 'a', name: 'changed', version: 1, owners: [] }),
      object({ namespace: 'a', name: 'gone', version: 1, owners: [] }),
      object({ namespace: 'b', name: 'elsewhere', version: 1, owners: [] }),
      object({ namespace: 'a', name: 'fresh', version: 4, owners: [] }),
    ];
    for (const one of [same, changed, gone, elsewhere]) cache.put(one);
    const after = object({ namespace: 'a', name: 'changed', version: 2, owners: [] });
    expect(cache.replace([{ ...same }, after, fresh], 'a')).toEqual([
      { before: gone, after: undefined },
      { before: changed, after },
      { before: undefined, after: fresh },
    ]);
    expect(cache.list()).toEqual([after, fresh, same, elsewhere]);
  });

  it('throws on an index that nobody declared', () => {
    expect(() => new ObjectCache(indexes).byIndex('other', 'x')).toThrow('no index "other" was declared');
  });
});
