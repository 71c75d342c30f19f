import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@retainer/kube/kube-object';
import type { Resource } from '@retainer/kube/resource';
import { resources } from '@retainer/kube/resources';
import { keptOf } from './kept.ts';

const metadata = { name: 'a', namespace: 'one', labels: { x: 'y' } };
const volumes = [{ name: 'boot', configMap: { name: 'documents' } }];

describe('keptOf', () => {
  const cases: readonly (readonly [string, Resource, Partial<KubeObject>, Partial<KubeObject>])[] = [
    [
      'the status of a pod and what it mounts',
      resources.pods,
      { spec: { volumes, containers: [{ name: 'agent' }] }, status: { phase: 'Running' } },
      { spec: { volumes }, status: { phase: 'Running' } },
    ],
    ['a pod without volumes', resources.pods, { spec: { containers: [] } }, { spec: {} }],
    [
      'a ConfigMap without its texts',
      resources.configMaps,
      { immutable: true, data: { a: 'text' }, binaryData: { b: 'AA==' } },
      { immutable: true },
    ],
    [
      'a Namespace in itself, without its status',
      resources.namespaces,
      { status: { phase: 'Active' } },
      { metadata: { ...metadata, namespace: 'a' } },
    ],
    [
      'all of anything that is compared',
      resources.statefulSets,
      { spec: { template: { spec: { volumes, containers: [] } } } },
      { spec: { template: { spec: { volumes, containers: [] } } } },
    ],
  ];
  for (const [name, resource, content, kept] of cases)
    it(`keeps ${name}`, () => {
      expect(keptOf(resource)({ kind: resource.kind, metadata, ...content })).toEqual({
        kind: resource.kind,
        metadata,
        ...kept,
      });
    });
});
