import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  collect,
  deed,
  JournalWorld,
  numbers,
  sign,
  worldDirectory,
  worldStores,
} from '../../../test/chaos/journal-world.ts';
import { verifies } from '../../../test/verifies.ts';
import { FaultFileSystem } from '../../../test/support/journal/fault-file-system.ts';
import type { FileSystem } from './file-system.ts';
import { InvalidRecordError, JournalClosedError, QueueFullError } from './journal-errors.ts';
import { defineStores } from './open-journal.ts';
import type { StoreDefinition } from './stores.ts';
import { openJournalReader } from './open-reader.ts';

const hourMs = 3_600_000;

/** Counts the syncs of one store's segments. */
function countSyncs(inner: FileSystem, store: string): { readonly fileSystem: FileSystem; syncs: number } {
  const counted = { fileSystem: inner, syncs: 0 };
  const view = new FaultFileSystem(inner).view();
  counted.fileSystem = {
    ...view,
    open: async (path, mode) => {
      const file = await view.open(path, mode);
      return {
        ...file,
        sync: async () => {
          if (path.includes(`/${store}/`)) counted.syncs += 1;
          await file.sync();
        },
      };
    },
  };
  return counted;
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1)
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
}

describe('append and read', () => {
  it('gives records their place and reads them back as they were', async () => {
    const world = new JournalWorld();
    const journal = await world.open();
    const written = [
      ...(await journal.append([deed(1), deed(2)])),
      ...(await journal.append([{ ...deed(3), cycleId: 'c', runId: 'r', timeMs: 5 }])),
    ];
    expect(written.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(await collect(journal.read('deeds', { fromSeq: 1 }))).toEqual(written);
    expect(journal.heads()).toContainEqual({ store: 'deeds', seq: 3, hash: written[2]?.hash, epoch: 1 });
  });

  verifies('journal:first-record', 'names store, agent and nonce first, chained to zeros', async () => {
    const world = new JournalWorld();
    const journal = await world.open({ nonce: () => 'random' });
    const [first] = await collect(journal.read('deeds'));
    expect(first).toMatchObject({ seq: 0, kind: 'StoreOpened', prev: '0'.repeat(64) });
    expect(first?.payload).toEqual({ storeId: 'deeds', agentUid: 'agent-1', schemaVersion: 1, nonce: 'random' });
  });

  verifies('journal:group-commit', 'writes what waits together with one sync', async () => {
    const world = new JournalWorld();
    const counted = countSyncs(world.sim.mount(), 'deeds');
    const journal = await world.open({ fileSystem: counted.fileSystem });
    const before = counted.syncs;
    await Promise.all(Array.from({ length: 64 }, (_, n) => journal.append([deed(n)])));
    expect(counted.syncs - before).toBe(1);
    expect(await numbers(journal.read('deeds'))).toEqual(Array.from({ length: 64 }, (_, n) => n));
  });

  it('closes a batch at its size', async () => {
    const world = new JournalWorld();
    const counted = countSyncs(world.sim.mount(), 'deeds');
    const journal = await world.open({ fileSystem: counted.fileSystem, limits: { batchBytes: 2000 } });
    const before = counted.syncs;
    await Promise.all(Array.from({ length: 20 }, (_, n) => journal.append([deed(n, 'x'.repeat(700))])));
    expect(counted.syncs - before).toBe(10);
  });

  verifies('journal:short-writes', 'continues a write that took a part only', async () => {
    const world = new JournalWorld();
    const faulty = new FaultFileSystem(world.sim.mount());
    faulty.writeBytesMax = 7;
    const journal = await world.open({ fileSystem: faulty.view() });
    await journal.append([deed(1, 'x'.repeat(100))]);
    world.sim.crash(() => 0.99);
    expect(await numbers((await world.open()).read('deeds'))).toEqual([1]);
  });

  it('keeps the order of calls across stores and blobs', async () => {
    const world = new JournalWorld();
    const journal = await world.open();
    await Promise.all([
      journal.append([deed(0, 'x'.repeat(100_000))]),
      journal.append([sign(1)]),
      journal.append([deed(2)]),
      journal.append([sign(3)]),
    ]);
    expect(await numbers(journal.readAll(['signs', 'deeds']))).toEqual([0, 1, 2, 3]);
  });

  verifies('journal:blob-over-64-kib', 'moves a large payload to a blob and back, once per content', async () => {
    const world = new JournalWorld();
    const journal = await world.open();
    const text = 'long '.repeat(20_000);
    await journal.append([deed(1, text), deed(1, text), deed(2, 'short')]);
    const payloads = (await collect(journal.read('deeds', { fromSeq: 1 }))).map(({ payload }) => payload);
    expect(payloads).toEqual([
      { n: 1, text },
      { n: 1, text },
      { n: 2, text: 'short' },
    ]);
    const [file = ''] = await world.files('deeds');
    expect((await world.text(`deeds/${file}`)).length).toBeLessThan(3000);
    const folders = await world.sim.mount().list(`${worldDirectory}/blobs`);
    expect(folders).toHaveLength(1);
  });

  it('stores content under its hash, the same content once', async () => {
    const world = new JournalWorld();
    const journal = await world.open();
    const bytes = Buffer.from([0, 255, 1, 254]);
    const [one, two] = await Promise.all([journal.putBlob(bytes), journal.putBlob(bytes)]);
    expect(one).toEqual(two);
    world.sim.crash(() => 0.99);
    expect(await (await world.open()).readBlob(one)).toEqual(bytes);
  });

  verifies(
    'journal:secrets-replaced',
    'replaces secrets in payloads and textual content before they are hashed',
    async () => {
      const world = new JournalWorld();
      const journal = await world.open({ redact: (text) => text.replaceAll('hunter2', '[secret]') });
      await journal.append([deed(1, 'password hunter2'), deed(2, `hunter2 ${'x'.repeat(70_000)}`)]);
      const ref = await journal.putBlob(Buffer.from('also hunter2'));
      expect(String(await journal.readBlob(ref))).toBe('also [secret]');
      expect(JSON.stringify(await collect(journal.read('deeds')))).not.toContain('hunter2');
    },
  );

  verifies(
    'journal:bad-input-loses-nothing',
    'refuses what it does not know, by name, and writes nothing',
    async () => {
      const world = new JournalWorld();
      const journal = await world.open();
      const wrong = [
        [{ ...deed(1), store: 'nothing' }],
        [{ ...deed(1), kind: 'Misdeed' }],
        [{ ...deed(1), kind: 'StoreOpened' }],
        [{ ...deed(1), payload: { n: 'one' } }],
        [{ ...deed(1), principal: '' }],
        [{ ...deed(1), cycleId: 'c'.repeat(257) }],
        [{ ...deed(1), timeMs: -1 }],
        [deed(1), sign(1)],
        [deed(1), { ...deed(2), payload: { n: 'two' } }],
      ];
      for (const records of wrong) await expect(journal.append(records)).rejects.toThrow(InvalidRecordError);
      await expect(journal.append([{ ...deed(1), payload: { n: 'secret' } }])).rejects.not.toThrow('secret');
      expect(await numbers(journal.read('deeds'))).toEqual([]);
      expect(journal.mode).toBe('Writable');
    },
  );

  it('refuses what would make the queue too long', async () => {
    const journal = await new JournalWorld().open({ limits: { queuedRecords: 3 } });
    const results = await Promise.allSettled([0, 1, 2, 3].map((n) => journal.append([deed(n)])));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    expect(results[3]).toMatchObject({ reason: expect.any(QueueFullError) as unknown });
  });

  verifies('journal:lazy-within-a-second', 'syncs lazy records a second later at the latest', async () => {
    const world = new JournalWorld();
    const journal = await world.open();
    await journal.append([sign(1)]);
    world.clock.advance(999);
    await turns(10);
    await journal.append([sign(2)]);
    world.clock.advance(1);
    await turns(10);
    world.sim.crash(() => 0.99);
    expect(await numbers((await world.open()).read('signs'))).toEqual([1, 2]);
  });

  it('keeps lazy records of a journal that is closed', async () => {
    const world = new JournalWorld();
    const journal = await world.open();
    await journal.append([sign(1)]);
    await journal.close();
    world.sim.crash(() => 0.99);
    expect(await numbers((await world.open()).read('signs'))).toEqual([1]);
    await expect(journal.append([deed(1)])).rejects.toThrow(JournalClosedError);
  });

  verifies('journal:upcasts', 'reads older lines as the newest version', async () => {
    const world = new JournalWorld();
    const older = await world.open();
    await older.append([deed(1)]);
    await older.close();
    const stores = defineStores([
      {
        name: 'deeds',
        durability: 'durable',
        kinds: {
          Deed: {
            version: 3,
            schema: z.object({ count: z.string() }),
            upcasters: {
              1: (payload) => ({ count: (payload as { n: number }).n }),
              2: (payload) => ({ count: `#${(payload as { count: number }).count}` }),
            },
          },
        },
      },
    ]);
    const newer = await world.open({ stores });
    await newer.append([{ store: 'deeds', kind: 'Deed', principal: 'agent', payload: { count: '#2' } }]);
    const deeds = (await collect(newer.read('deeds'))).filter(({ kind }) => kind === 'Deed');
    expect(deeds.map(({ version, payload }) => [version, payload])).toEqual([
      [1, { count: '#1' }],
      [3, { count: '#2' }],
    ]);
    await expect(newer.append([sign(1)]), 'a store that left the table').rejects.toThrow(InvalidRecordError);
    expect(await numbers(newer.read('deeds'))).toHaveLength(2);
  });
});

describe('a record of a newer program', () => {
  const table = (kinds: StoreDefinition['kinds']) => defineStores([{ name: 'deeds', durability: 'durable', kinds }]);
  const schema = z.json();
  const cases: readonly (readonly [string, StoreDefinition['kinds'], string])[] = [
    ['of a kind', { Deed: { version: 1, schema }, Boast: { version: 1, schema } }, 'Boast'],
    ['of a version', { Deed: { version: 2, schema, upcasters: { 1: (payload) => payload } } }, 'Deed'],
  ];
  for (const [what, kinds, kind] of cases)
    verifies(
      'journal:refuses-newer',
      `${what} that is not known is refused with file, kind and what to do`,
      async () => {
        const world = new JournalWorld();
        const newer = await world.open({ stores: table(kinds) });
        await newer.append([{ store: 'deeds', kind, principal: 'agent', payload: { n: 1 } }]);
        await newer.close();
        const older = await world.open({ stores: table({ Deed: { version: 1, schema } }) });
        await expect(collect(older.read('deeds'))).rejects.toThrow(
          new RegExp(
            `deeds/2026-.*jsonl: store deeds, sequence 1: kind ${kind}, .* a newer one wrote it; start that version`,
          ),
        );
        await older.close();
        const again = await world.open({ stores: table(kinds) });
        expect(await collect(again.read('deeds'))).toHaveLength(2);
      },
    );
});

describe('segments', () => {
  verifies('journal:segments-roll', 'roll by size and day, never to an earlier day, and end in a footer', async () => {
    const world = new JournalWorld();
    const journal = await world.open({ limits: { segmentBytes: 1000 } });
    await journal.append([deed(1, 'x'.repeat(400))]);
    await journal.append([deed(2, 'x'.repeat(400))]);
    world.clock.jump(-48 * hourMs);
    await journal.append([deed(3, 'x'.repeat(400))]);
    world.clock.jump(72 * hourMs);
    await journal.append([deed(4)]);
    const files = await world.files('deeds');
    expect(files).toEqual([
      '2026-03-01.001.jsonl',
      '2026-03-01.002.jsonl',
      '2026-03-01.003.jsonl',
      '2026-03-01.004.jsonl',
      '2026-03-02.001.jsonl',
    ]);
    for (const file of files.slice(0, -1)) {
      const lines = (await world.text(`deeds/${file}`)).trimEnd().split('\n');
      expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ footer: 'deeds', segment: file, count: lines.length - 1 });
      await expect(world.sim.mount().open(`${worldDirectory}/deeds/${file}`, 'append')).rejects.toThrow('EACCES');
    }
    expect(await numbers(journal.read('deeds'))).toEqual([1, 2, 3, 4]);
  });

  verifies('journal:read-ranges', 'read by sequence and by time, leaving out whole segments', async () => {
    const world = new JournalWorld();
    const journal = await world.open({ limits: { segmentBytes: 1200 } });
    const startMs = world.clock.nowMs();
    for (let n = 0; n < 20; n += 1) {
      await journal.append([deed(n, 'x'.repeat(200))]);
      world.clock.advance(1000);
    }
    expect((await world.files('deeds')).length).toBeGreaterThan(4);
    expect(await numbers(journal.read('deeds', { fromSeq: 15 }))).toEqual([14, 15, 16, 17, 18, 19]);
    const window = { fromTimeMs: startMs + 3000, toTimeMs: startMs + 6000 };
    expect(await numbers(journal.read('deeds', window))).toEqual([3, 4, 5]);
    expect(await numbers(journal.read('deeds', { fromSeq: 99 }))).toEqual([]);
  });

  it('follow a store from what is there to what comes', async () => {
    const world = new JournalWorld();
    const journal = await world.open({ limits: { segmentBytes: 900 } });
    for (let n = 0; n < 5; n += 1) await journal.append([deed(n, 'x'.repeat(200))]);
    const stop = new AbortController();
    const seen: unknown[] = [];
    const following = (async () => {
      for await (const { payload } of journal.follow('deeds', 3, stop.signal)) seen.push((payload as { n: number }).n);
    })();
    for (let n = 5; n < 12; n += 1) await journal.append([deed(n, 'x'.repeat(200))]);
    while (seen.length < 10) await turns(1);
    stop.abort();
    await following;
    expect(seen).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('of a store that nothing was written into are none, for its writer and for another process', async () => {
    const world = new JournalWorld();
    const journal = await world.open();
    await journal.append([deed(1)]);
    const place = { directory: worldDirectory, clock: world.clock, fileSystem: world.sim.mount() };
    for (const reader of [journal, await openJournalReader(place)]) {
      const kinds: string[] = [];
      for await (const { kind } of reader.read('nothing')) kinds.push(kind);
      for await (const { kind } of reader.readAll(['nothing', 'nobody'])) kinds.push(kind);
      expect(kinds).toEqual([]);
    }
  });

  it('are followed by another process, which sees whole lines only', async () => {
    const world = new JournalWorld();
    const journal = await world.open();
    await journal.append([deed(1)]);
    const reader = await openJournalReader({
      directory: worldDirectory,
      stores: worldStores,
      clock: world.clock,
      fileSystem: world.sim.mount(),
    });
    const stop = new AbortController();
    const seen: unknown[] = [];
    const following = (async () => {
      for await (const { payload } of reader.follow('deeds', 1, stop.signal)) seen.push((payload as { n: number }).n);
    })();
    await journal.append([deed(2)]);
    await world.edit('deeds', (bytes) => Buffer.concat([bytes, Buffer.from('{"store":"deeds","seq":3')]));
    while (seen.length < 2) {
      world.clock.advance(250);
      await turns(3);
    }
    stop.abort();
    await following;
    expect(seen).toEqual([1, 2]);
  });
});

describe('storage errors', () => {
  verifies('journal:first-error-ends-writing', 'end all writing, are told once, and leave reads working', async () => {
    const world = new JournalWorld();
    const faulty = new FaultFileSystem(world.sim.mount(), (path) => world.sim.loseUnsynced(path));
    const journal = await world.open({ fileSystem: faulty.view() });
    const reasons: string[] = [];
    journal.onDegraded((reason) => reasons.push(reason));
    await journal.append([deed(1)]);
    faulty.failNext({ operation: 'sync', code: 'EIO' });
    const results = await Promise.allSettled([journal.append([deed(2)]), journal.append([deed(3)])]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(journal.append([sign(1)])).rejects.toThrow(JournalClosedError);
    expect([journal.mode, journal.modeCause, reasons.length]).toEqual(['Degraded', 'StorageError', 1]);
    expect(await numbers(journal.read('deeds'))).toEqual([1]);
    expect(await journal.tryResume()).toBe(false);
    await journal.close();
    expect(faulty.retriedSyncs).toEqual([]);
  });

  verifies('journal:disk-full', 'of a full volume end when space returns', async () => {
    const world = new JournalWorld();
    const journal = await world.open({ limits: { ballastBytes: 2000 } });
    await journal.append([deed(1)]);
    world.sim.capacityBytes = 8000;
    let n = 2;
    while (journal.mode === 'Writable') await journal.append([deed(n++, 'x'.repeat(300))]).catch(() => undefined);
    expect(journal.modeCause).toBe('DiskFull');
    expect(await journal.tryResume(), 'still full').toBe(false);
    const lines = (await world.text(`deeds/${(await world.files('deeds'))[0]}`)).split('\n');
    expect(lines.at(-1), 'no torn line').toBe('');
    expect(await numbers(journal.read('deeds'))).toHaveLength(n - 2);
    world.sim.capacityBytes = 20_000;
    expect(await journal.tryResume()).toBe(true);
    await journal.append([deed(99)]);
    const kinds = (await collect(journal.read('system'))).map(({ kind }) => kind);
    expect(kinds).toEqual(['StoreOpened', 'Opened', 'DiskFull', 'Opened', 'SpaceReturned']);
    expect((await numbers(journal.read('deeds'))).at(-1)).toBe(99);
  });

  it('of a volume that is full at the start leave it readable, and the process up', async () => {
    const world = new JournalWorld();
    const first = await world.open();
    await first.append([deed(1)]);
    await first.close();
    world.sim.capacityBytes = 100;
    const journal = await world.open();
    expect([journal.mode, journal.modeCause]).toEqual(['Degraded', 'DiskFull']);
    expect(await numbers(journal.read('deeds'))).toEqual([1]);
    world.sim.capacityBytes = 50_000;
    expect(await journal.tryResume()).toBe(true);
    await journal.append([deed(2)]);
  });

  verifies(
    'journal:read-only-volume',
    'of a read-only volume open it for reading, until it can be written',
    async () => {
      const world = new JournalWorld();
      const first = await world.open();
      await first.append([deed(1)]);
      await first.close();
      world.sim.readOnly = true;
      const journal = await world.open();
      expect([journal.mode, journal.modeCause]).toEqual(['ReadOnly', 'ReadOnlyVolume']);
      expect(await numbers(journal.read('deeds'))).toEqual([1]);
      await expect(journal.append([deed(2)])).rejects.toThrow(JournalClosedError);
      world.sim.readOnly = false;
      expect(await journal.tryResume()).toBe(true);
      await journal.append([deed(2)]);
    },
  );
});
