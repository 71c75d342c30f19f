import { expect } from 'vitest';
import { isConflict } from '@retainer/kube/api-error';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import { sample } from './cel-case.ts';
import { STRANGER, refusal, uidOf, versionOf, type ContractCase } from './contract-case.ts';

const { agents, tasks, configMaps } = resources;

/** create */
export const createCases: readonly ContractCase[] = [
  {
    name: 'gives an identity, and a generation to what has a spec',
    run: async (c) => {
      const created = await c.client.create(tasks, c.task());
      expect(created.metadata).toMatchObject({ ...c.key(), generation: 1 });
      expect(created.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
      expect(created.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(await c.client.get(tasks, c.key())).toStrictEqual(created);
    },
  },
  {
    name: 'refuses a name that is taken',
    run: async (c) => {
      await c.client.create(configMaps, c.configMap());
      expect(await refusal(c.client.create(configMaps, c.configMap()))).toEqual({
        status: 409,
        reason: 'AlreadyExists',
      });
    },
  },
  {
    name: 'drops the status of a new object, and gives it the default one',
    run: async (c) => {
      const created = await c.client.create(tasks, c.task({ status: { runs: 3 } }));
      expect(created['status']).toEqual({ observedGeneration: -1 });
    },
  },
  {
    name: 'fills in defaults and cuts off unknown fields',
    run: async (c) => {
      const created = await c.client.create(agents, {
        ...(sample('Agent', { spec: { nobodyKnows: true } }) as unknown as KubeObject),
        metadata: c.key(),
      });
      expect(created['spec']).not.toHaveProperty('nobodyKnows');
      expect(created['spec']).toHaveProperty('limits');
    },
  },
  {
    name: 'stores nothing in a dry run',
    run: async (c) => {
      await c.client.create(configMaps, c.configMap(), { isDryRun: true });
      expect(await c.client.get(configMaps, c.key())).toBeUndefined();
    },
  },
];

/** validation */
export const validationCases: readonly ContractCase[] = [
  {
    name: 'refuses what the schema forbids',
    run: async (c) => {
      expect(await refusal(c.client.create(tasks, c.task({ spec: { intent: 7 } })))).toEqual({
        status: 422,
        reason: 'Invalid',
      });
    },
  },
  {
    name: 'refuses what a rule forbids',
    run: async (c) => {
      const agent = sample('Agent', { spec: { curiosity: { enabled: true }, scheduler: { enabled: false } } });
      const object = { ...(agent as unknown as KubeObject), metadata: c.key() };
      expect(await refusal(c.client.create(agents, object))).toEqual({ status: 422, reason: 'Invalid' });
    },
  },
  {
    name: 'refuses an update that a transition rule forbids',
    run: async (c) => {
      const storage = { memory: { storageClassName: 'fast' } };
      const agent = { ...(sample('Agent', { spec: storage }) as unknown as KubeObject), metadata: c.key() };
      await c.client.create(agents, agent);
      const patch = { spec: { memory: { storageClassName: 'slow' } } };
      expect(await refusal(c.client.mergePatch(agents, c.key(), patch))).toEqual({ status: 422, reason: 'Invalid' });
    },
  },
  {
    name: 'refuses a second outcome of a task, whoever writes it',
    run: async (c) => {
      await c.client.create(tasks, c.task());
      await c.applyStatus({ outcome: 'Succeeded' }, 'agent');
      expect(await refusal(c.applyStatus({ outcome: 'Failed' }, 'operator', true))).toEqual({
        status: 422,
        reason: 'Invalid',
      });
    },
  },
  {
    name: 'refuses changes of what is immutable',
    run: async (c) => {
      await c.client.create(configMaps, c.configMap({ immutable: true }));
      expect(await refusal(c.client.mergePatch(configMaps, c.key(), { data: { a: '2' } }))).toEqual({
        status: 422,
        reason: 'Invalid',
      });
    },
  },
];

/** replace */
export const replaceCases: readonly ContractCase[] = [
  {
    name: 'takes the version that was read, and no other',
    run: async (c) => {
      const first = await c.client.create(configMaps, c.configMap());
      const second = await c.client.replace(configMaps, { ...first, data: { a: '2' } });
      expect(versionOf(second)).not.toBe(versionOf(first));
      expect(uidOf(second)).toBe(uidOf(first));
      expect(await refusal(c.client.replace(configMaps, { ...first, data: { a: '3' } }))).toEqual({
        status: 409,
        reason: 'Conflict',
      });
    },
  },
  {
    name: 'makes no new version of what is the same',
    run: async (c) => {
      const first = await c.client.create(configMaps, c.configMap());
      expect(versionOf(await c.client.replace(configMaps, first))).toBe(versionOf(first));
    },
  },
  {
    name: 'holds for the object that it names',
    run: async (c) => {
      const first = await c.client.create(configMaps, c.configMap());
      const uidOfOther = STRANGER;
      const other = { ...first, metadata: { ...first.metadata, uid: uidOfOther } };
      expect((await refusal(c.client.replace(configMaps, other))).status).toBe(409);
      expect((await refusal(c.client.mergePatch(configMaps, c.key(), { metadata: { uid: uidOfOther } }))).status).toBe(
        422,
      );
    },
  },
  {
    name: 'says that there is nothing to replace',
    run: async (c) => {
      expect((await refusal(c.client.replace(configMaps, c.configMap()))).status).toBe(404);
    },
  },
];

/** merge patch */
export const mergePatchCases: readonly ContractCase[] = [
  {
    name: 'sets, and removes where it says null',
    run: async (c) => {
      await c.client.create(configMaps, c.configMap({ data: { b: '2' } }));
      const patched = await c.client.mergePatch(configMaps, c.key(), { data: { a: null, c: '3' } });
      expect(patched['data']).toEqual({ b: '2', c: '3' });
    },
  },
  {
    name: 'holds for the version that it names',
    run: async (c) => {
      const first = await c.client.create(configMaps, c.configMap());
      await c.client.mergePatch(configMaps, c.key(), { data: { a: '2' } });
      const patch = { metadata: { resourceVersion: versionOf(first) }, data: { a: '3' } };
      expect((await refusal(c.client.mergePatch(configMaps, c.key(), patch))).status).toBe(409);
    },
  },
];

/** generation and status */
export const generationCases: readonly ContractCase[] = [
  {
    name: 'counts changes of the spec, and of nothing else',
    run: async (c) => {
      await c.client.create(tasks, c.task());
      const labelled = await c.client.mergePatch(tasks, c.key(), { metadata: { labels: { a: 'b' } } });
      expect(labelled.metadata.generation).toBe(1);
      const reported = await c.applyStatus({ runs: 1 }, 'operator');
      expect(reported.metadata.generation).toBe(1);
      const changed = await c.client.mergePatch(tasks, c.key(), { spec: { priority: 7 } });
      expect(changed.metadata.generation).toBe(2);
    },
  },
  {
    name: 'takes status through its own door only, and nothing else there',
    run: async (c) => {
      await c.client.create(tasks, c.task());
      const main = await c.client.mergePatch(tasks, c.key(), { status: { runs: 5 } });
      expect(main['status']).toEqual({ observedGeneration: -1 });
      const patch = { metadata: { labels: { a: 'b' } }, spec: { intent: 'Other.' }, status: { runs: 5 } };
      const status = await c.client.mergePatch(tasks, c.key(), patch, { subresource: 'status' });
      expect(status['status']).toEqual({ observedGeneration: -1, runs: 5 });
      expect(status['spec']).toMatchObject({ intent: 'Do it.' });
      expect(status.metadata.labels).toBeUndefined();
    },
  },
  {
    name: 'keeps the status when the rest is replaced',
    run: async (c) => {
      await c.client.create(tasks, c.task());
      const reported = await c.applyStatus({ runs: 2 }, 'operator');
      const { status: _status, ...rest } = reported;
      const replaced = await c.client.replace(tasks, { ...rest, metadata: reported.metadata });
      expect(replaced['status']).toEqual({ observedGeneration: -1, runs: 2 });
    },
  },
];

/** delete */
export const deleteCases: readonly ContractCase[] = [
  {
    name: 'deletes what was judged',
    run: async (c) => {
      const object = await c.client.create(configMaps, c.configMap());
      const judged = { uid: uidOf(object), resourceVersion: versionOf(object) };
      expect(await c.client.delete(configMaps, c.key(), judged)).toBe(true);
      expect(await c.client.get(configMaps, c.key())).toBeUndefined();
      expect(await c.client.delete(configMaps, c.key(), judged)).toBe(false);
    },
  },
  {
    name: 'leaves another object of the name alone',
    run: async (c) => {
      const object = await c.client.create(configMaps, c.configMap());
      expect(await c.client.delete(configMaps, c.key(), { uid: STRANGER })).toBe(false);
      expect(uidOf(await c.live(configMaps))).toBe(uidOf(object));
    },
  },
  {
    name: 'leaves what has changed meanwhile',
    run: async (c) => {
      const object = await c.client.create(configMaps, c.configMap());
      await c.client.mergePatch(configMaps, c.key(), { data: { a: '2' } });
      const call = c.client.delete(configMaps, c.key(), { uid: uidOf(object), resourceVersion: versionOf(object) });
      await expect(call).rejects.toSatisfy(isConflict);
      expect(uidOf(await c.live(configMaps))).toBe(uidOf(object));
    },
  },
  {
    name: 'waits for finalizers',
    run: async (c) => {
      const object = await c.client.create(configMaps, c.configMap({ metadata: { finalizers: ['example.org/hold'] } }));
      expect(await c.client.delete(configMaps, c.key(), { uid: uidOf(object) })).toBe(true);
      expect((await c.live(configMaps)).metadata.deletionTimestamp).toBeDefined();
      await c.client.mergePatch(configMaps, c.key(), { metadata: { finalizers: null } });
      expect(await c.client.get(configMaps, c.key())).toBeUndefined();
    },
  },
];
