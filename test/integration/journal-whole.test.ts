import { beforeAll, describe, expect } from 'vitest';
import type { Head } from '@retainer/journal/journal';
import { verifyJournal, type FaultKind } from '@retainer/journal/verify';
import { randomOf } from '../chaos/journal-simulation.ts';
import { deed, JournalWorld, sign, worldDirectory } from '../chaos/journal-world.ts';
import { verifies } from '../verifies.ts';

const seed = 20_260_302;
const mutations = 2_000;
const stores = ['deeds', 'signs', 'system'] as const;

type Below = (limit: number) => number;
type Change = (bytes: Buffer, below: Below) => Buffer;

const linesOf = (bytes: Buffer): readonly Buffer[] => {
  const lines: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(10, at) + 1;
    lines.push(bytes.subarray(at, end));
    at = end;
  }
  return lines;
};

/** As in row 5, but of a segment that nothing has sealed. */
const changes: Readonly<Record<string, Change>> = {
  'bit flip': (bytes, below) => {
    const changed = Buffer.from(bytes);
    const at = below(bytes.length);
    changed[at] = (changed[at] ?? 0) ^ (1 << below(8));
    return changed;
  },
  'line deleted': (bytes, below) => {
    const lines = linesOf(bytes);
    return Buffer.concat(lines.toSpliced(below(lines.length), 1));
  },
  'line doubled': (bytes, below) => {
    const lines = linesOf(bytes);
    const at = below(lines.length);
    return Buffer.concat(lines.toSpliced(at, 0, lines[at] ?? Buffer.alloc(0)));
  },
  'lines swapped': (bytes, below) => {
    const lines = linesOf(bytes);
    const at = below(lines.length - 1);
    return Buffer.concat(lines.toSpliced(at, 2, lines[at + 1] ?? Buffer.alloc(0), lines[at] ?? Buffer.alloc(0)));
  },
  'cut anywhere': (bytes, below) => bytes.subarray(0, below(bytes.length)),
  'cut between lines': (bytes, below) => {
    const lines = linesOf(bytes);
    return Buffer.concat(lines.slice(0, below(lines.length)));
  },
  'sector of zeros': (bytes, below) => {
    const sector = below(Math.floor(bytes.length / 512)) * 512;
    return Buffer.from(bytes).fill(0, sector, sector + 512);
  },
};

interface Told {
  readonly kinds: readonly FaultKind[];
  readonly stores: readonly string[];
}

async function told(world: JournalWorld, knownHeads: readonly Head[] = []): Promise<Told> {
  const [kinds, found] = [[] as FaultKind[], [] as string[]];
  const options = { directory: worldDirectory, fileSystem: world.sim.mount(), blobs: true, knownHeads };
  for await (const { kind, store } of verifyJournal(options)) {
    kinds.push(kind);
    found.push(store);
  }
  return { kinds, stores: found };
}

/** A journal of three lives, all in open segments. */
async function fill(world: JournalWorld, lives: number): Promise<readonly Head[]> {
  for (let life = 0; life < lives; life += 1) {
    const journal = await world.open();
    for (let n = 0; n < 12; n += 1) {
      await journal.append([deed(n, 'x'.repeat(n * 20))]);
      await journal.append([sign(n)]);
    }
    await journal.close();
  }
  const journal = await world.open();
  const heads = journal.heads();
  await journal.close();
  return heads;
}

describe('a journal in open segments', () => {
  let world: JournalWorld;
  beforeAll(async () => {
    world = new JournalWorld();
    await fill(world, 2);
  });

  /** Changes one file, asks what is told, and puts it back. */
  async function changed(path: string, change: (bytes: Buffer) => Uint8Array): Promise<Told> {
    let before = Buffer.alloc(0);
    world.sim.edit(path, (bytes) => {
      before = Buffer.from(bytes);
      return change(bytes);
    });
    const found = await told(world);
    world.sim.edit(path, () => before);
    return found;
  }

  for (const kept of ['with', 'without'] as const)
    verifies('journal:verify-locates', `shows each of ${mutations} mutations, ${kept} checkpoints`, async () => {
      const random = randomOf(seed);
      const below = (limit: number): number => Math.floor(random() * limit);
      if (kept === 'without') await world.dropCheckpoints();
      const kinds = Object.keys(changes);
      for (let count = 0; count < mutations; count += 1) {
        // The end of the journal's own store is noted by its checkpoint alone: nothing comes after it.
        const store = stores[below(kept === 'with' ? 3 : 2)] ?? 'deeds';
        const kind = kinds[count % kinds.length] ?? '';
        const [file] = await world.files(store);
        const { kinds: faults, stores: named } = await changed(
          `${worldDirectory}/${store}/${file}`,
          (bytes) => changes[kind]?.(bytes, below) ?? bytes,
        );
        const label = `mutation ${count}: ${kind} in ${store}`;
        expect(faults.filter((it) => it !== 'CheckpointMissing').length, label).toBeGreaterThan(0);
        expect(named, label).toContain(store);
      }
    });
});

async function worldWithout(part: 'store' | 'checkpoint' | 'changed checkpoint', store: string): Promise<JournalWorld> {
  const world = new JournalWorld();
  await fill(world, 1);
  const disk = world.sim.mount();
  const checkpoint = `${worldDirectory}/checkpoints/${store}.json`;
  const files = (await world.files(store)).map((file) => `${worldDirectory}/${store}/${file}`);
  if (part === 'store') await Promise.all(files.map((file) => disk.unlink(file)));
  else if (part === 'checkpoint') await disk.unlink(checkpoint);
  else world.sim.edit(checkpoint, (bytes) => Buffer.from(bytes).fill('9', 20, 24));
  return world;
}

describe('a journal as a whole', () => {
  verifies(
    'journal:whole-is-verified',
    'shows each store and each checkpoint that is taken away or changed',
    async () => {
      for (const store of stores)
        for (const part of ['store', 'checkpoint', 'changed checkpoint'] as const) {
          const { kinds, stores: named } = await told(await worldWithout(part, store));
          expect(kinds, `${part} of ${store}`).toContain(part === 'store' ? 'StoreMissing' : 'CheckpointMissing');
          expect(named).toContain(store);
        }
    },
  );

  verifies('journal:whole-is-verified', 'shows a whole older copy by the heads that somebody kept', async () => {
    const [older, newer] = [new JournalWorld(), new JournalWorld()];
    await fill(older, 1);
    const heads = await fill(newer, 2);
    expect((await told(older)).kinds, 'an older copy is whole in itself').toEqual([]);
    const { kinds, stores: named } = await told(older, heads);
    expect(new Set(kinds)).toEqual(new Set(['HeadMissing']));
    expect(new Set(named)).toEqual(new Set(stores));
    expect((await told(newer, heads)).kinds).toEqual([]);
  });
});
