import { expect } from 'vitest';
import { resources } from '@retainer/kube/resources';
import { refusal, seen, uidOf, versionOf, type ContractCase } from './contract-case.ts';

const { tasks, configMaps, disruptionBudgets } = resources;
/** A watch that is to end by itself. */
const SHORT_WATCH_SECONDS = 2;

/** list */
export const listCases: readonly ContractCase[] = [
  {
    name: 'comes in pages of one and the same revision',
    run: async (c) => {
      const labels = { page: c.name };
      const names = ['a', 'b', 'c', 'd', 'e'].map((letter) => `${c.name}-${letter}`);
      for (const one of names) await c.client.create(configMaps, c.configMap({ metadata: { name: one, labels } }));
      const first = await c.client.list(configMaps, {
        namespace: c.namespace,
        labelSelector: `page=${c.name}`,
        limit: 2,
      });
      await c.client.create(configMaps, c.configMap({ metadata: { name: `${c.name}-bb`, labels } }));
      const listed: string[] = first.items.map(({ metadata }) => metadata.name);
      let next = first.continue;
      while (next !== undefined) {
        const page = await c.client.list(configMaps, {
          namespace: c.namespace,
          labelSelector: `page=${c.name}`,
          limit: 2,
          continue: next,
        });
        expect(page.resourceVersion).toBe(first.resourceVersion);
        listed.push(...page.items.map(({ metadata }) => metadata.name));
        next = page.continue;
      }
      expect(listed).toEqual(names);
    },
  },

  ...(
    [
      ['app=x', ['a']],
      ['app in (x, y)', ['a', 'b']],
      ['app,app!=x', ['b']],
      ['app notin (x),list', ['b', 'c']],
      ['list,!app', ['c']],
    ] as const
  ).map(([selector, expected]): ContractCase => ({
    name: `selects by labels: ${selector}`,
    run: async (c) => {
      const prefix = `${c.name}-`;
      for (const [letter, labels] of [
        ['a', { app: 'x', list: c.name }],
        ['b', { app: 'y', list: c.name }],
        ['c', { list: c.name }],
      ] as const)
        await c.client.create(configMaps, c.configMap({ metadata: { name: prefix + letter, labels } }));
      const page = await c.client.list(configMaps, {
        namespace: c.namespace,
        labelSelector: `${selector},list=${c.name}`,
      });
      expect(page.items.map(({ metadata }) => metadata.name)).toEqual(expected.map((letter) => prefix + letter));
    },
  })),

  {
    name: 'selects by name, and by what the kind names',
    run: async (c) => {
      await c.client.create(tasks, c.task({ spec: { agentRef: { name: `of-${c.name}` } } }));
      const byAgent = await c.client.list(tasks, {
        namespace: c.namespace,
        fieldSelector: `spec.agentRef.name=of-${c.name}`,
      });
      const byName = await c.client.list(tasks, { namespace: c.namespace, fieldSelector: `metadata.name=${c.name}` });
      expect([...byAgent.items, ...byName.items].map(({ metadata }) => metadata.name)).toEqual([c.name, c.name]);
      const unknown = c.client.list(tasks, { namespace: c.namespace, fieldSelector: 'spec.intent=x' });
      expect((await refusal(unknown)).status).toBe(400);
    },
  },
];

/** watch */
export const watchCases: readonly ContractCase[] = [
  {
    name: 'tells what happened since a revision, in its order',
    run: async (c) => {
      const { resourceVersion } = await c.client.list(configMaps, { namespace: c.namespace });
      const labels = { watch: c.name };
      const first = await c.client.create(configMaps, c.configMap({ metadata: { labels } }));
      await c.client.replace(configMaps, { ...first, data: { a: '2' } });
      await c.client.delete(configMaps, c.key(), { uid: uidOf(first) });
      const options = { from: resourceVersion, labelSelector: `watch=${c.name}` };
      const events = await c.watched(configMaps, options, (all) => all.length === 3);
      expect(seen(events)).toEqual([`Added ${c.name}`, `Modified ${c.name}`, `Deleted ${c.name}`]);
      const versions = events.flatMap((event) => ('object' in event ? [Number(versionOf(event.object))] : []));
      expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    },
  },
  {
    name: 'tells of changes while it lasts',
    run: async (c) => {
      const { resourceVersion } = await c.client.list(configMaps, { namespace: c.namespace });
      const options = { from: resourceVersion, labelSelector: `watch=${c.name}` };
      const events = c.watched(configMaps, options, (all) => all.length === 2);
      await c.client.create(configMaps, c.configMap({ metadata: { labels: { watch: c.name } } }));
      await c.client.mergePatch(configMaps, c.key(), { data: { a: '2' } });
      expect(seen(await events)).toEqual([`Added ${c.name}`, `Modified ${c.name}`]);
    },
  },
  {
    name: 'shows an object that comes into its selection as added, and one that leaves it as deleted',
    run: async (c) => {
      await c.client.create(configMaps, c.configMap());
      const { resourceVersion } = await c.client.list(configMaps, { namespace: c.namespace });
      await c.client.mergePatch(configMaps, c.key(), { metadata: { labels: { watch: c.name } } });
      await c.client.mergePatch(configMaps, c.key(), { metadata: { labels: { watch: 'other' } } });
      const options = { from: resourceVersion, labelSelector: `watch=${c.name}` };
      const events = await c.watched(configMaps, options, (all) => all.length === 2);
      expect(seen(events)).toEqual([`Added ${c.name}`, `Deleted ${c.name}`]);
    },
  },
  {
    name: 'says nothing of a write that changed nothing',
    run: async (c) => {
      const first = await c.client.create(configMaps, c.configMap({ metadata: { labels: { watch: c.name } } }));
      await c.client.replace(configMaps, first);
      await c.client.mergePatch(configMaps, c.key(), { data: { a: '1' } });
      await c.client.mergePatch(configMaps, c.key(), { data: { a: '2' } });
      const options = { from: versionOf(first), labelSelector: `watch=${c.name}` };
      const events = await c.watched(configMaps, options, (all) => all.length === 1);
      expect(events).toMatchObject([{ type: 'Modified', object: { data: { a: '2' } } }]);
    },
  },
  {
    name: 'ends when its time is up',
    run: async (c) => {
      const { resourceVersion } = await c.client.list(configMaps, { namespace: c.namespace });
      const options = { from: resourceVersion, labelSelector: `watch=${c.name}`, seconds: SHORT_WATCH_SECONDS };
      expect(seen(await c.watched(configMaps, options, () => false))).toEqual([]);
    },
  },
  {
    name: 'says now and then how far it came, once a list of now took it past where the watch began',
    run: async (c) => {
      const { resourceVersion } = await c.client.list(disruptionBudgets, { namespace: c.namespace });
      await c.client.create(configMaps, c.configMap());
      const nothing = { namespace: c.namespace, fieldSelector: 'metadata.name=-' };
      expect((await c.client.list(disruptionBudgets, nothing)).items).toEqual([]);
      const options = { from: resourceVersion, seconds: c.target.bookmarkSeconds };
      const [event] = await c.watched(disruptionBudgets, options, (all) => all.length === 1);
      expect(event).toMatchObject({ type: 'Bookmark' });
      const seenUpTo = event?.type === 'Bookmark' ? Number(event.resourceVersion) : 0;
      expect(seenUpTo).toBeGreaterThan(Number(resourceVersion));
    },
  },
  {
    name: 'refuses a revision that is too old',
    run: async (c, skip) => {
      const from = c.target.expiredRevision() ?? skip('this server has forgotten nothing yet');
      const watch = c.watched(configMaps, { from }, () => false);
      expect(await refusal(watch)).toMatchObject({ status: 410, reason: 'Expired' });
    },
  },
];
