import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { deed, JournalWorld, numbers, sign, worldDirectory } from '../../../test/chaos/journal-world.ts';
import { noLock } from '../../../test/support/journal/no-lock.ts';
import { verifies } from '../../../test/verifies.ts';
import type { FileSystem } from './file-system.ts';
import { gapsOf, touchesRun } from './gap.ts';
import type { Journal, NewRecord } from './journal.ts';
import { defineStores } from './open-journal.ts';
import { openJournalReader } from './open-reader.ts';
import { Orders } from './orders.ts';
import { applyRepair, planRepair } from './repair.ts';
import { verifyJournal, type Fault } from './verify.ts';

const allStores = ['deeds', 'signs', 'system'] as const;

/** Two lives of a writer; the second one ends as named. */
async function worldThat(ended: 'closed' | 'killed'): Promise<JournalWorld> {
  const world = new JournalWorld();
  const first = await world.open();
  await first.append([deed(1), deed(2)]);
  await first.append([sign(1)]);
  await first.close();
  const second = await world.open();
  await second.append([deed(3)]);
  if (ended === 'closed') await second.close();
  else world.sim.kill();
  return world;
}

async function removeStore(world: JournalWorld, store: string): Promise<void> {
  const disk = world.sim.mount();
  for (const name of await disk.list(`${worldDirectory}/${store}`))
    await disk.unlink(`${worldDirectory}/${store}/${name}`);
}

async function faultsOf(world: JournalWorld): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  for await (const fault of verifyJournal({ directory: worldDirectory, fileSystem: world.sim.mount(), blobs: true }))
    faults.push(fault);
  return faults;
}

function told(faults: readonly Fault[]): readonly string[] {
  return faults.map(({ kind, store }) => `${kind} ${store}`);
}

function repairOf(world: JournalWorld) {
  return { directory: worldDirectory, principal: 'human:ada', nowMs: 0, fileSystem: world.sim.mount(), lock: noLock };
}

describe('a journal without one of its stores', () => {
  for (const ended of ['closed', 'killed'] as const)
    for (const checkpoints of ['with', 'without'] as const)
      for (const store of allStores)
        verifies(
          'journal:whole-is-verified',
          `names ${store}, ${ended}, ${checkpoints} checkpoints, and is opened by nobody`,
          async () => {
            const world = await worldThat(ended);
            if (checkpoints === 'without') await world.dropCheckpoints();
            await removeStore(world, store);
            expect(told(await faultsOf(world))).toContain(`StoreMissing ${store}`);
            const opened = await world.open();
            expect([opened.mode, opened.modeCause]).toEqual(['ReadOnly', 'Damaged']);
            expect(opened.modeReason).toContain(`store ${store} is gone`);
          },
        );

  for (const store of allStores)
    verifies('journal:whole-is-verified', `is repaired only by a person who gives up ${store} by name`, async () => {
      const world = await worldThat('closed');
      await removeStore(world, store);
      const other = store === 'deeds' ? 'signs' : 'deeds';
      const [plan] = await planRepair({ ...repairOf(world), giveUp: [other] });
      expect([plan?.store, plan?.refusal]).toEqual([store, expect.stringContaining('--give-up-store')]);
      await applyRepair(repairOf(world));
      expect(told(await faultsOf(world))).toContain(`StoreMissing ${store}`);
      const reason = 'the volume is gone, the backup is older';
      const [repair] = await applyRepair({ ...repairOf(world), giveUp: [store], reason });
      expect(repair?.lost[0]?.fromSeq).toBe(0);
      expect(await faultsOf(world)).toEqual([]);
      const reader = await openJournalReader({ clock: world.clock, ...repairOf(world) });
      expect(await gapsOf(reader)).toMatchObject([{ store, reason, principal: 'human:ada', lostFromSeq: 0 }]);
      const journal = await world.open();
      expect(journal.mode).toBe('Writable');
      await journal.append([deed(4)]);
      await journal.close();
      expect(await numbers((await world.open()).read('deeds'))).toEqual(store === 'deeds' ? [4] : [1, 2, 3, 4]);
    });
});

describe('a journal without a part that no chain holds', () => {
  for (const ended of ['closed', 'killed'] as const)
    for (const store of allStores)
      verifies(
        'journal:whole-is-verified',
        `names the checkpoint of ${store}, ${ended}, and loses nothing`,
        async () => {
          const world = await worldThat(ended);
          await world.sim.mount().unlink(`${worldDirectory}/checkpoints/${store}.json`);
          expect(told(await faultsOf(world))).toEqual([`CheckpointMissing ${store}`]);
          const journal = await world.open();
          expect(journal.mode).toBe('Writable');
          await journal.append([deed(4), deed(5)]);
          await journal.append([sign(4)]);
          await journal.close();
          expect(await faultsOf(world)).toEqual([]);
        },
      );

  verifies(
    'journal:whole-is-verified',
    'misses an end that a closing has noted, though no checkpoint is left',
    async () => {
      const world = await worldThat('closed');
      await world.dropCheckpoints();
      await world.edit('deeds', (bytes) => bytes.subarray(0, bytes.lastIndexOf('\n', bytes.length - 2) + 1));
      const faults = (await faultsOf(world)).filter(({ kind }) => kind !== 'CheckpointMissing');
      expect(faults.map(({ kind, seq }) => [kind, seq])).toEqual([
        ['HeadMissing', 3],
        ['OrderMissing', faults.at(-1)?.seq],
      ]);
    },
  );

  verifies('journal:whole-is-verified', 'gives no order to a record that it refuses', async () => {
    const world = new JournalWorld();
    const journal = await world.open({ limits: { queuedRecords: 2 } });
    const appends = [1, 2, 3].map((n) => journal.append([deed(n)]));
    expect((await Promise.allSettled(appends)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
    await journal.append([deed(4)]);
    await journal.close();
    expect(await faultsOf(world)).toEqual([]);
  });
});

describe('a journal that is written while it is verified', () => {
  const stores = defineStores([
    { name: 'first', durability: 'durable', kinds: { Deed: { version: 1, schema: z.object({}) } } },
    { name: 'second', durability: 'durable', kinds: { Deed: { version: 1, schema: z.object({}) } } },
  ]);
  /** So many that times are told apart, and longer than a crash excuses. */
  const [recordsAtOnce, laterMs] = [200, 120_000];
  const recordIn = (store: string): NewRecord => ({ store, kind: 'Deed', principal: 'agent', payload: {} });

  async function grow(world: JournalWorld, journal: Journal): Promise<void> {
    const many = Array.from({ length: recordsAtOnce }, () => recordIn('second'));
    await journal.append([recordIn('first')]);
    await journal.append(many);
    world.clock.advance(laterMs);
    await journal.append(many);
  }

  /** The disk, on which the journal grows whenever somebody begins to read the second store. */
  function growing(world: JournalWorld, journal: Journal): FileSystem {
    const disk = world.sim.mount();
    const sizeBytes = disk.sizeBytes.bind(disk);
    return Object.assign(disk, {
      sizeBytes: async (path: string) => {
        if (path.includes('/second/')) await grow(world, journal);
        return sizeBytes(path);
      },
    });
  }

  async function liveFaults(world: JournalWorld, journal: Journal): Promise<readonly Fault[]> {
    const faults: Fault[] = [];
    const options = { directory: worldDirectory, fileSystem: growing(world, journal), live: true };
    for await (const fault of verifyJournal(options)) faults.push(fault);
    return faults;
  }

  verifies('journal:whole-is-verified', 'misses nothing that came after the reading began', async () => {
    const world = new JournalWorld();
    const journal = await world.open({ stores });
    await grow(world, journal);
    expect(told(await liveFaults(world, journal))).toEqual([]);
  });

  verifies('journal:whole-is-verified', 'misses what was taken away before', async () => {
    const world = await worldThat('closed');
    await world.dropCheckpoints();
    await world.edit('deeds', (bytes) => bytes.subarray(0, bytes.lastIndexOf('\n', bytes.length - 2) + 1));
    await world.edit('deeds', (bytes) => bytes.subarray(0, bytes.lastIndexOf('\n', bytes.length - 2) + 1));
    const options = { directory: worldDirectory, fileSystem: world.sim.mount(), live: true };
    const kinds: string[] = [];
    for await (const { kind } of verifyJournal(options)) kinds.push(kind);
    expect(kinds).toContain('OrderMissing');
  });
});

describe('a gap', () => {
  async function repairedWorld(): Promise<JournalWorld> {
    const world = await worldThat('closed');
    await world.edit('deeds', (bytes) => Buffer.from(bytes.toString('utf8').replace('"n":2', '"n":7')));
    await applyRepair(repairOf(world));
    expect(await faultsOf(world)).toEqual([]);
    return world;
  }

  verifies('journal:whole-is-verified', 'excuses no head and no order that it did not give up', async () => {
    const world = await repairedWorld();
    const heads = [
      { store: 'deeds', seq: 2, hash: 'a'.repeat(64), epoch: 1 },
      { store: 'deeds', seq: 3, hash: 'b'.repeat(64), epoch: 1 },
    ];
    const found: (string | number)[] = [];
    const options = { directory: worldDirectory, fileSystem: world.sim.mount(), knownHeads: heads };
    for await (const { kind, seq } of verifyJournal(options)) found.push(kind, seq);
    expect(found, 'the gap stands at sequence 2').toEqual(['HeadMissing', 3]);
    await world.edit('signs', (bytes) => bytes.subarray(0, bytes.lastIndexOf('\n', bytes.length - 2) + 1));
    expect(told(await faultsOf(world))).toContain('OrderMissing ');
  });

  it('is written by nobody but a repair', async () => {
    const journal = await new JournalWorld().open();
    const payload = { lostFromSeq: 1, lostToSeq: 1, resumeSeq: 2, damagedFiles: [], reason: 'forged' };
    for (const [kind, content] of [
      ['Gap', payload],
      ['StoreOpened', { storeId: 'deeds', agentUid: 'agent-2', schemaVersion: 1, nonce: '' }],
    ] as const)
      await expect(journal.append([{ store: 'deeds', kind, principal: 'agent', payload: content }])).rejects.toThrow(
        'only the journal writes it',
      );
  });
});

describe('Orders', () => {
  const line = { store: 'deeds', seq: 0, epoch: 1, batch: 0, version: 1 };
  const timeAt = (ms: number): string => new Date(ms).toISOString();
  /** Orders 0 to `count`, one each `stepMs`, without those in `holes`. */
  function filled(
    count: number,
    stepMs: number,
    holes: readonly number[],
    kinds: Readonly<Record<number, string>> = {},
  ) {
    const orders = new Orders();
    for (let order = 0; order < count; order += 1)
      if (!holes.includes(order))
        orders.note({ ...line, order, kind: kinds[order] ?? 'Deed', time: timeAt(order * stepMs) });
    return orders;
  }

  const cases: readonly [string, Orders, readonly { from: number; to: number }[]][] = [
    ['nothing where all are there', filled(40_000, 1, []), []],
    [
      'what a closing vouches for',
      filled(10, 1, [3, 4, 7], { 9: 'Closed' }),
      [
        { from: 3, to: 4 },
        { from: 7, to: 7 },
      ],
    ],
    ['nothing that a crash may have lost', filled(200, 1, [150]), []],
    ['what is too old for a crash', filled(300, 1000, [3]), [{ from: 3, to: 3 }]],
    ['nothing at the end of an earlier life', filled(300, 1000, [99], { 100: 'Recovered', 101: 'Opened' }), []],
    ['what is missing within a later life', filled(9, 1, [5], { 3: 'Opened', 8: 'Closed' }), [{ from: 5, to: 5 }]],
  ];
  for (const [what, orders, missing] of cases)
    it(`misses ${what}`, () => {
      expect(orders.missing()).toEqual(missing);
    });

  it('misses nothing that a gap gave up', () => {
    const orders = filled(10, 1, [3, 4], { 9: 'Closed' });
    orders.explain({ from: 2, to: 5 });
    expect(orders.missing()).toEqual([]);
  });

  it('finds a wide hole without counting it through', () => {
    const orders = filled(2, 1, []);
    orders.note({ ...line, order: 9e15, kind: 'Closed', time: timeAt(3) });
    expect(orders.missing()).toEqual([{ from: 2, to: 9e15 - 1 }]);
  });
});

describe('touchesRun', () => {
  const gap = {
    ...{ store: 'cycle', seq: 4, order: 20, atMs: 0, principal: 'human:ada', damagedFiles: [], reason: 'r' },
    ...{ lostFromSeq: 4, lostToSeq: 5, lostOrders: [{ from: 20, to: 22 }], runs: ['told'] },
  };
  const { lostOrders: _, ...older } = gap;
  const span = (runId: string, firstOrder: number, lastOrder: number) => ({ runId, firstOrder, lastOrder });
  const cases: readonly [string, Parameters<typeof touchesRun>, boolean][] = [
    ['a run around it', [gap, span('r', 5, 40)], true],
    ['a run that ended before it', [gap, span('r', 5, 19)], false],
    ['a run that began after it', [gap, span('r', 23, 40)], false],
    ['a run under way', [gap, span('r', 5, Number.POSITIVE_INFINITY)], true],
    ['a run that it names', [gap, span('told', 23, 40)], true],
    ['any run, where it tells no orders', [older, span('r', 23, 40)], true],
    ['none, where nothing was lost', [{ ...gap, lostFromSeq: undefined }, span('r', 5, 40)], false],
  ];
  for (const [what, [it_, run], touches] of cases)
    it(`${touches ? 'is true for' : 'is false for'} ${what}`, () => {
      expect(touchesRun(it_, run)).toBe(touches);
    });
});
