import { expect } from 'vitest';
import { VERSION_OF_NOTHING, type KubeObject } from '@retainer/kube/kube-object';
import type { Resource } from '@retainer/kube/resource';
import { resources } from '@retainer/kube/resources';
import type { Patch } from './cel-case.ts';
import { STRANGER, condition, refusal, uidOf, versionOf, type ContractCase } from './contract-case.ts';

const { tasks, configMaps, statefulSets, services } = resources;

/** server-side apply */
export const applyCases: readonly ContractCase[] = [
  {
    name: 'creates, and makes no new version of what is the same',
    run: async (c) => {
      const first = await c.apply(configMaps, c.configMap(), 'one');
      expect(versionOf(await c.apply(configMaps, c.configMap(), 'one'))).toBe(versionOf(first));
    },
  },
  {
    name: 'removes what its manager no longer says',
    run: async (c) => {
      await c.apply(configMaps, c.configMap({ data: { b: '2' }, metadata: { labels: { x: 'y' } } }), 'one');
      const second = await c.apply(configMaps, c.configMap(), 'one');
      expect(second['data']).toEqual({ a: '1' });
      expect(second.metadata.labels).toBeUndefined();
    },
  },
  {
    name: 'keeps what somebody else wrote',
    run: async (c) => {
      await c.apply(configMaps, c.configMap(), 'one');
      await c.client.mergePatch(configMaps, c.key(), { data: { b: '2' }, metadata: { annotations: { note: 'mine' } } });
      const second = await c.apply(configMaps, c.configMap(), 'one');
      expect(second['data']).toEqual({ a: '1', b: '2' });
      expect(second.metadata.annotations).toEqual({ note: 'mine' });
    },
  },
  {
    name: 'refuses another value of a field that somebody owns, and takes it by force',
    run: async (c) => {
      await c.apply(configMaps, c.configMap(), 'one');
      const other = c.configMap({ data: { a: '2' } });
      expect(await refusal(c.apply(configMaps, other, 'two'))).toEqual({ status: 409, reason: 'Conflict' });
      expect((await c.apply(configMaps, other, 'two', true))['data']).toEqual({ a: '2' });
      expect((await refusal(c.apply(configMaps, c.configMap(), 'one'))).status).toBe(409);
    },
  },
  {
    name: 'lets two own the same value; it stays while one of them says it',
    run: async (c) => {
      await c.apply(configMaps, c.configMap(), 'one');
      await c.apply(configMaps, c.configMap(), 'two');
      const without = { metadata: c.key(), data: { b: '2' } };
      expect((await c.apply(configMaps, without, 'one'))['data']).toEqual({ a: '1', b: '2' });
      expect((await c.apply(configMaps, without, 'two'))['data']).toEqual({ b: '2' });
    },
  },
  {
    name: 'loses a field to whoever writes it without apply',
    run: async (c) => {
      await c.apply(configMaps, c.configMap(), 'one');
      await c.client.mergePatch(configMaps, c.key(), { data: { a: '2' } }, { fieldManager: 'editor' });
      expect((await refusal(c.apply(configMaps, c.configMap(), 'one'))).status).toBe(409);
      const without = { metadata: c.key() };
      expect((await c.apply(configMaps, without, 'one'))['data']).toEqual({ a: '2' });
    },
  },
  {
    name: 'holds for the object and the version that it names',
    run: async (c) => {
      const first = await c.apply(configMaps, c.configMap(), 'one');
      const next = (metadata: Patch, a = '2'): KubeObject => c.configMap({ data: { a }, metadata });
      expect((await refusal(c.apply(configMaps, next({ uid: STRANGER }), 'one'))).status).toBe(422);
      const judged = { uid: uidOf(first), resourceVersion: versionOf(first) };
      await c.apply(configMaps, next(judged), 'one');
      expect((await refusal(c.apply(configMaps, next(judged, '3'), 'one'))).status).toBe(409);
    },
  },
  {
    name: 'makes nothing where it names an object that is not there',
    run: async (c) => {
      const call = c.apply(configMaps, c.configMap({ metadata: { uid: STRANGER } }), 'one');
      expect((await refusal(call)).status).toBe(409);
      expect(await c.client.get(configMaps, c.key())).toBeUndefined();
    },
  },
  {
    name: 'makes what is not there, and touches nothing that is, where it names the version before the first',
    run: async (c) => {
      const make = (resource: Resource, { metadata, ...rest }: KubeObject): Promise<KubeObject> => {
        const resourceVersion = VERSION_OF_NOTHING;
        return c.apply(resource, { ...rest, metadata: { ...metadata, resourceVersion } }, 'one', true);
      };
      const objects = [
        [configMaps, c.configMap()],
        [tasks, c.task()],
      ] as const;
      for (const [resource, object] of objects) {
        const first = await make(resource, object);
        expect(await refusal(make(resource, object))).toEqual({ status: 409, reason: 'Conflict' });
        expect(versionOf(await c.live(resource))).toBe(versionOf(first));
        // The first change stores the defaults of a status that nobody has written.
        const settled = await c.apply(resource, object, 'one');
        expect(versionOf(await c.apply(resource, object, 'one'))).toBe(versionOf(settled));
      }
    },
  },
  {
    name: 'merges conditions of several managers by type',
    run: async (c) => {
      await c.client.create(tasks, c.task());
      await c.applyStatus({ conditions: [condition('Ready')], observedGeneration: 1 }, 'operator');
      await c.applyStatus({ conditions: [condition('Running')], runId: 'r1' }, 'agent');
      const both = await c.live(tasks);
      expect(both['status']).toEqual({
        observedGeneration: 1,
        runId: 'r1',
        conditions: [condition('Ready'), condition('Running')],
      });
      const one = await c.applyStatus({ conditions: [condition('Ready', 'False')] }, 'operator');
      expect(one['status']).toEqual({ runId: 'r1', conditions: [condition('Ready', 'False'), condition('Running')] });
      const none = await c.applyStatus({}, 'agent');
      expect(none['status']).toEqual({ conditions: [condition('Ready', 'False')] });
    },
  },
  {
    name: 'makes no new version of a status that is the same',
    run: async (c) => {
      await c.client.create(tasks, c.task());
      const first = await c.applyStatus({ conditions: [condition('Ready')] }, 'operator');
      expect(versionOf(await c.applyStatus({ conditions: [condition('Ready')] }, 'operator'))).toBe(versionOf(first));
    },
  },
  {
    name: 'refuses a condition that another manager owns',
    run: async (c) => {
      await c.client.create(tasks, c.task());
      await c.applyStatus({ conditions: [condition('Ready')] }, 'operator');
      expect(await refusal(c.applyStatus({ conditions: [condition('Ready', 'False')] }, 'agent'))).toEqual({
        status: 409,
        reason: 'Conflict',
      });
    },
  },
  {
    name: 'makes no object through the door of its status',
    run: async (c) => {
      expect((await refusal(c.applyStatus({ runs: 1 }, 'operator'))).status).toBe(404);
    },
  },
  {
    name: 'merges the lists of a pod template by their keys',
    run: async (c) => {
      const env = (...names: readonly string[]): readonly unknown[] => names.map((one) => ({ name: one, value: one }));
      const set = (spec: Patch, container: Patch): KubeObject => ({
        metadata: c.key(),
        spec: {
          selector: { matchLabels: { app: c.name } },
          serviceName: c.name,
          template: {
            metadata: { labels: { app: c.name } },
            spec: { containers: [{ name: 'main', image: 'example.org/none', ...container }] },
          },
          ...spec,
        },
      });
      await c.apply(statefulSets, set({ replicas: 0 }, { env: env('a', 'b') }), 'one');
      const patch: KubeObject = {
        metadata: c.key(),
        spec: { template: { spec: { containers: [{ name: 'main', env: env('c') }] } } },
      };
      await c.apply(statefulSets, patch, 'two');
      await c.apply(statefulSets, set({ replicas: 0 }, { env: env('b') }), 'one');
      const object = (await c.live(statefulSets)) as {
        readonly spec?: {
          readonly template: { readonly spec: { readonly containers: readonly { readonly env: unknown }[] } };
        };
      } & KubeObject;
      expect(object.spec?.template.spec.containers[0]?.env).toEqual(env('b', 'c'));
      expect(await refusal(c.apply(statefulSets, set({ serviceName: 'other' }, {}), 'one'))).toEqual({
        status: 422,
        reason: 'Invalid',
      });
    },
  },
  {
    name: 'tells ports of a service apart by number and protocol',
    run: async (c) => {
      const service = (...ports: readonly Patch[]): KubeObject => ({
        metadata: c.key(),
        spec: { clusterIP: 'None', selector: { app: c.name }, ports },
      });
      await c.apply(services, service({ name: 'http', port: 80 }), 'one');
      await c.apply(services, service({ name: 'udp', port: 80, protocol: 'UDP' }), 'two', true);
      const spec = (await c.live(services))['spec'] as { readonly ports: readonly { readonly name: string }[] };
      expect(spec.ports.map((port) => port.name)).toEqual(['http', 'udp']);
    },
  },
  {
    name: 'stores nothing in a dry run, and tells what would be',
    run: async (c) => {
      const first = await c.apply(configMaps, c.configMap(), 'one');
      const dry = await c.client.apply(configMaps, c.configMap({ data: { a: '2' } }), {
        fieldManager: 'one',
        force: false,
        isDryRun: true,
      });
      expect(dry['data']).toEqual({ a: '2' });
      expect(versionOf(await c.live(configMaps))).toBe(versionOf(first));
    },
  },
];
