/** Lists and watches against an API server in this process, whose time and faults are the test's. */
import fc from 'fast-check';
import { afterEach, describe, expect } from 'vitest';
import { startFakeApiServer, type FakeApiServer } from '../../../test/support/fake-api-server/fake-api-server.ts';
import { fakeKubeClient } from '../../../test/support/fake-api-server/fake-kube-client.ts';
import type { EventFault } from '../../../test/support/fake-api-server/faults.ts';
import { manualClock, type ManualClock } from '../../../test/support/manual-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { resources } from './resources.ts';
import { Informer, WATCH_STALE_SECONDS, type InformerOptions } from './informer.ts';
import type { KubeObject } from './kube-object.ts';
import type { Change } from './object-cache.ts';

const { configMaps } = resources;

const ends: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const configMap = (name: string, value = '1', namespace = 'one'): KubeObject => ({
  metadata: { name, namespace, labels: { value } },
  data: { value },
});

interface World {
  readonly clock: ManualClock;
  readonly server: FakeApiServer;
  readonly informer: Informer;
  readonly changes: Change[];
  readonly errors: Error[];
  /** Lets virtual time pass until the condition holds. @returns how long it took; fails after the limit */
  readonly until: (isSo: () => boolean, limitMs?: number) => Promise<number>;
  readonly pass: (durationMs: number) => Promise<void>;
}

const stepMs = 250;
/** In every cluster something is written all the time: Leases are renewed. */
const beatMs = 2_000;

async function world(options: Partial<InformerOptions> = {}): Promise<World> {
  const clock = manualClock();
  const server = await startFakeApiServer({ clock });
  const client = fakeKubeClient(server, { clock });
  const changes: Change[] = [];
  const errors: Error[] = [];
  const informer = new Informer({
    client,
    clock,
    random: () => 0.5,
    resource: configMaps,
    onChange: (change) => changes.push(change),
    onError: (error) => errors.push(error),
    ...options,
  });
  const stop = new AbortController();
  ends.push(async () => {
    stop.abort();
    client.close();
    await server.stop();
  });
  const run = (): void => {
    const running = informer.run(stop.signal);
    ends.push(() => running);
  };
  const quiet = async (): Promise<void> => {
    for (let still = 0, last = -1; still < 8; still = server.activity === last ? still + 1 : 0) {
      last = server.activity;
      await new Promise(setImmediate);
      if (server.inFlight > 0) still = -1;
    }
  };
  const until = async (isSo: () => boolean, limitMs = 60_000): Promise<number> => {
    const startedMs = clock.monotonicMs();
    await quiet();
    while (!isSo()) {
      if (clock.monotonicMs() - startedMs >= limitMs) throw new Error(`not so after ${limitMs} ms: ${isSo.toString()}`);
      clock.advance(stepMs);
      if (clock.monotonicMs() % beatMs === 0) server.put(resources.leases, configMap('beat', String(clock.nowMs())));
      await quiet();
    }
    return clock.monotonicMs() - startedMs;
  };
  const pass = async (durationMs: number): Promise<void> => {
    const endMs = clock.monotonicMs() + durationMs;
    await until(() => clock.monotonicMs() >= endMs, durationMs + stepMs);
  };
  return Object.assign({ clock, server, informer, changes, errors, until, pass }, { run });
}

/** A world whose informer has listed what is there. */
async function synced(objects: readonly KubeObject[], options: Partial<InformerOptions> = {}): Promise<World> {
  const made = (await world(options)) as World & { readonly run: () => void };
  for (const object of objects) made.server.put(configMaps, object);
  made.run();
  await made.until(() => made.informer.hasSynced && made.server.watches.length > 0);
  return made;
}

const names = (objects: readonly KubeObject[]): readonly string[] => objects.map(({ metadata }) => metadata.name);
const versions = (objects: readonly KubeObject[]): readonly unknown[] =>
  objects
    .map(({ metadata: { namespace, name, resourceVersion } }) => `${namespace}/${name}@${resourceVersion}`)
    .toSorted();
const requests = ({ server }: World, verb: string): readonly string[] =>
  server.audit.filter((entry) => entry.verb === verb).map(({ query }) => query);

describe('an informer', () => {
  verifies('kube:list-replaces', 'lists in pages, keeps no managedFields, and watches from there', async () => {
    const all = Array.from({ length: 250 }, (_, index) => configMap(`m${index}`));
    const made = await synced(all);
    expect(made.informer.cache.size).toBe(250);
    expect(made.changes).toHaveLength(250);
    expect(made.changes.every(({ before, isInitial }) => before === undefined && isInitial)).toBe(true);
    expect(made.informer.cache.list().some(({ metadata }) => 'managedFields' in metadata)).toBe(false);
    expect(requests(made, 'list').map((query) => new URLSearchParams(query).get('limit'))).toEqual([
      '100',
      '100',
      '100',
    ]);
    expect(requests(made, 'watch')).toEqual([expect.stringMatching(/allowWatchBookmarks=true.*timeoutSeconds=450/)]);
    expect(made.informer.cache.list()[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
  });

  verifies('kube:watch-resumes', 'tells each change with the state before', async () => {
    const made = await synced([configMap('a')], {
      indexes: { value: ({ metadata }) => [metadata.labels?.['value'] ?? ''] },
    });
    made.changes.length = 0;
    made.server.put(configMaps, configMap('a', '2'));
    made.server.put(configMaps, configMap('b'));
    made.server.remove(configMaps, { namespace: 'one', name: 'a' });
    await made.until(() => made.changes.length === 3);
    expect(made.changes.map(({ before, after }) => [before?.['data'], after?.['data']])).toEqual([
      [{ value: '1' }, { value: '2' }],
      [undefined, { value: '1' }],
      [{ value: '2' }, undefined],
    ]);
    expect(made.changes.some(({ isInitial }) => isInitial)).toBe(false);
    expect(names(made.informer.cache.byIndex('value', '1'))).toEqual(['b']);
    expect(made.informer.cache.byIndex('value', '2')).toEqual([]);
  });

  verifies(
    'kube:watch-resumes',
    'goes on where the server ended the watch, from a bookmark where nothing happened',
    async () => {
      const made = await synced([configMap('a')]);
      await made.pass(455_000);
      const [first = 0, second = 0] = requests(made, 'watch').map((query) =>
        Number(new URLSearchParams(query).get('resourceVersion')),
      );
      expect(second - first).toBeGreaterThan(0);
      expect([made.informer.lists, made.errors]).toEqual([1, []]);
    },
  );

  verifies('kube:watch-resumes', 'catches up after an outage within 10 s of its end, without a list', async () => {
    const made = await synced([configMap('a')]);
    const { port } = made.server;
    await made.server.stop();
    await made.pass(60_000);
    expect(made.errors.length).toBeGreaterThan(3);
    expect(made.errors.length).toBeLessThan(15);
    made.server.put(configMaps, configMap('b'));
    await made.server.start(port);
    expect(await made.until(() => made.informer.cache.size === 2)).toBeLessThanOrEqual(10_000);
    expect(requests(made, 'list')).toHaveLength(1);
  });

  verifies('kube:one-list-at-once', 'waits as long as the server asks for', async () => {
    const made = await synced([configMap('a')]);
    const answers = made.server.audit.length;
    made.server.faults.onRequest(() => ({
      type: 'Refuse',
      status: 429,
      reason: 'TooManyRequests',
      retryAfterSeconds: 20,
    }));
    made.server.breakConnections();
    await made.pass(55_000);
    expect(made.server.audit.length - answers).toBe(3);
  });

  const lost: readonly (readonly [string, 'kube:watch-gone' | 'kube:watch-garbage', EventFault])[] = [
    ['410 in the stream', 'kube:watch-gone', { type: 'Gone' }],
    ['half a line', 'kube:watch-garbage', { type: 'HalfLine' }],
    ['a line that is no JSON', 'kube:watch-garbage', { type: 'Garbage' }],
  ];
  for (const [name, id, fault] of lost)
    verifies(id, `lists once after ${name}, and misses nothing`, async () => {
      const made = await synced([configMap('a'), configMap('b')]);
      made.changes.length = 0;
      const heal = made.server.faults.onEvent(() => fault);
      made.server.put(configMaps, configMap('c'));
      await made.until(() => made.errors.length === 1);
      heal();
      made.server.remove(configMaps, { namespace: 'one', name: 'a' });
      await made.until(() => made.informer.cache.size === 2 && made.informer.lists === 2);
      expect(names(made.informer.cache.list())).toEqual(['b', 'c']);
      const told = made.changes.map(({ before, after }) => `${before?.metadata.name} → ${after?.metadata.name}`);
      expect(new Set(told)).toEqual(new Set(['a → undefined', 'undefined → c']));
      expect(made.changes.some(({ isInitial }) => isInitial)).toBe(false);
      expect(made.informer.lists).toBe(2);
    });

  verifies('kube:watch-gone', 'lists anew where its version was compacted away', async () => {
    const made = await synced([configMap('a')]);
    const hold = made.server.faults.onRequest(({ verb }) => (verb === 'watch' ? { type: 'Drop' } : undefined));
    made.server.breakConnections();
    made.server.remove(configMaps, { namespace: 'one', name: 'a' });
    made.server.put(configMaps, configMap('b'));
    made.server.compact();
    hold();
    await made.until(() => names(made.informer.cache.list()).join() === 'b');
    expect(made.informer.lists).toBe(2);
    expect(made.changes.slice(1).map(({ before, after }) => [before?.metadata.name, after?.metadata.name])).toEqual([
      ['a', undefined],
      [undefined, 'b'],
    ]);
  });

  verifies(
    'kube:silence-ends',
    'gives up a frozen watch, and its age tells until the server speaks again',
    async () => {
      const made = await synced([configMap('a')]);
      await made.pass(70_000);
      expect(made.informer.lastEventAgeSeconds).toBeLessThan(15);
      const thaw = made.server.faults.onRequest(({ verb }) => (verb === 'watch' ? { type: 'Hang' } : undefined));
      made.server.breakConnections();
      made.server.put(configMaps, configMap('b'));
      await made.until(() => made.informer.lastEventAgeSeconds > WATCH_STALE_SECONDS, 90_000);
      expect(made.informer.cache.size).toBe(1);
      thaw();
      await made.until(() => made.informer.cache.size === 2, 80_000);
      expect(made.informer.lastEventAgeSeconds).toBeLessThan(1);
      expect(made.informer.lists).toBe(1);
    },
  );

  verifies(
    'kube:quiet-watch-lives',
    'has bookmarks of a resource in which nothing happens, for one small read of each watch',
    async () => {
      const made = await synced([configMap('a')]);
      for (let minutes = 0; minutes < 20; minutes += 1) {
        await made.pass(60_000);
        expect(made.informer.lastEventAgeSeconds).toBeLessThanOrEqual(61);
      }
      expect([made.errors, made.informer.lists]).toEqual([[], 1]);
      const small = requests(made, 'list').filter((query) => query.includes('metadata.name'));
      expect(small).toHaveLength(requests(made, 'watch').length);
    },
  );

  verifies('kube:quiet-watch-lives', 'asks nothing where something happens', async () => {
    const made = await synced([configMap('a')]);
    for (let count = 0; count < 5; count += 1) {
      made.server.put(configMaps, configMap('a', String(count)));
      await made.pass(60_000);
    }
    expect(requests(made, 'list')).toHaveLength(1);
  });

  verifies('kube:one-list-at-once', 'lists one namespace after another, into one cache', async () => {
    const all = ['one', 'two', 'three'].map((namespace) => configMap('a', '1', namespace));
    const made = (await world({ namespaces: ['one', 'two'] })) as World & { readonly run: () => void };
    for (const object of all) made.server.put(configMaps, object);
    let listing = 0;
    let listingMax = 0;
    made.server.faults.onRequest(({ verb }) => {
      if (verb !== 'list') return undefined;
      listing += 1;
      listingMax = Math.max(listingMax, listing);
      const until = made.clock.sleep(1_000).then(() => {
        listing -= 1;
      });
      return { type: 'Hold', until };
    });
    made.run();
    for (const isFirst of [true, false]) {
      await made.clock.untilSleeping(1_000);
      expect([isFirst, made.informer.hasSynced]).toEqual([isFirst, false]);
      made.clock.advance(1_000);
    }
    await made.informer.untilSynced(new AbortController().signal);
    expect(listingMax).toBe(1);
    expect(made.informer.cache.list().map(({ metadata }) => metadata.namespace)).toEqual(['one', 'two']);
    await made.until(() => made.server.watches.length === 2);
    made.server.remove(configMaps, { namespace: 'one', name: 'a' });
    made.server.put(configMaps, configMap('b', '1', 'two'));
    await made.until(() => names(made.informer.cache.list()).join() === 'a,b');
  });

  verifies(
    'kube:one-list-at-once',
    'asks for Namespaces by their names alone, however long nothing happens',
    async () => {
      const inItself = (object: KubeObject): KubeObject => ({
        ...object,
        metadata: { ...object.metadata, namespace: object.metadata.name },
      });
      const places = { resource: resources.namespaces, namespaces: ['one', 'two'], transform: inItself };
      const made = (await world(places)) as World & { readonly run: () => void };
      for (const name of ['one', 'two', 'three']) made.server.put(resources.namespaces, { metadata: { name } });
      made.run();
      await made.until(() => made.server.watches.length === 2);
      made.server.put(resources.namespaces, { metadata: { name: 'two', labels: { team: 'a' } } });
      await made.pass(70_000);
      expect(made.informer.cache.get({ namespace: 'two', name: 'two' })?.metadata.labels).toEqual({ team: 'a' });
      expect(names(made.informer.cache.list())).toEqual(['one', 'two']);
      const asked = made.server.audit.map(({ query }) => new URLSearchParams(query).get('fieldSelector'));
      expect(new Set(asked)).toEqual(new Set(['metadata.name=one', 'metadata.name=two']));
      expect(requests(made, 'list').length).toBeGreaterThan(2);
    },
  );

  verifies('kube:list-replaces', 'tells everything again after some ten hours, from its cache', async () => {
    const made = await synced([configMap('a'), configMap('b')]);
    const requestsBefore = made.server.audit.length;
    made.changes.length = 0;
    made.server.faults.onRequest(() => ({ type: 'Drop' }));
    made.clock.advance(10 * 3_600_000);
    await made.until(() => made.changes.length > 0);
    expect(made.changes.map(({ before, after, isInitial }) => [before === after, isInitial])).toEqual([
      [true, true],
      [true, true],
    ]);
    expect(made.server.audit.slice(requestsBefore).filter(({ code }) => code !== 0)).toEqual([]);
  });

  verifies('kube:list-replaces', 'heals what the server itself lost, within half an hour', async () => {
    const made = await synced([configMap('a'), configMap('c')]);
    const heal = made.server.faults.onEvent(() => ({ type: 'Drop' }));
    made.server.remove(configMaps, { namespace: 'one', name: 'a' });
    made.server.put(configMaps, configMap('b'));
    await made.pass(1_000);
    heal();
    made.changes.length = 0;
    expect(names(made.informer.cache.list())).toEqual(['a', 'c']);
    await made.until(() => names(made.informer.cache.list()).join() === 'b,c', 1_800_000);
    // Whoever is as he was is not told of.
    const told = made.changes.map(({ before, after }) => [before?.metadata.name, after?.metadata.name]);
    expect(told).toEqual([
      ['a', undefined],
      [undefined, 'b'],
    ]);
    expect([made.informer.lists, made.errors]).toEqual([2, []]);
  });

  const fault: fc.Arbitrary<EventFault> = fc.constantFrom<EventFault>(
    { type: 'HalfLine' },
    { type: 'Break' },
    { type: 'Garbage' },
    { type: 'Gone' },
    { type: 'End' },
    { type: 'Delay', delayMs: 3_000 },
  );
  const deed = fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    isRemoval: fc.boolean(),
    fault: fc.option(fault, { freq: 2, nil: undefined }),
    passMs: fc.constantFrom(0, 0, 250, 2_000),
  });
  verifies('kube:watch-resumes', 'ends with what the server has, and has told it, whatever broke on the way', () =>
    fc.assert(
      fc.asyncProperty(fc.array(deed, { minLength: 1, maxLength: 12 }), async (deeds) => {
        const made = await synced([configMap('a'), configMap('b')]);
        for (const [index, { name, isRemoval, fault, passMs }] of deeds.entries()) {
          let isMet = fault === undefined;
          const heal = made.server.faults.onEvent(() => {
            if (isMet) return undefined;
            isMet = true;
            return fault;
          });
          if (isRemoval) made.server.remove(configMaps, { namespace: 'one', name });
          else made.server.put(configMaps, configMap(name, String(index)));
          await made.pass(passMs);
          heal();
        }
        const want = (): string => versions(made.server.list(configMaps)).join();
        await made.until(() => versions(made.informer.cache.list()).join() === want());
        const told = new Map<string, KubeObject>();
        for (const { before, after } of made.changes)
          if (after !== undefined) told.set(after.metadata.name, after);
          else told.delete(before?.metadata.name ?? '');
        expect(versions([...told.values()]).join()).toBe(want());
        for (const end of ends.splice(0)) await end();
      }),
      { numRuns: 15 },
    ),
  );
});
