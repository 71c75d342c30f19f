import { describe, expect, it } from 'vitest';
import { collect, deed, JournalWorld, numbers, sign, worldDirectory } from '../../../test/chaos/journal-world.ts';
import { verifies } from '../../../test/verifies.ts';
import { noLock } from '../../../test/support/journal/no-lock.ts';
import { applyRepair, planRepair, type RepairOptions } from './repair.ts';
import { verifyJournal, verifyStore, type Fault } from './verify.ts';

const deeds = 24;

/** Deeds over several segments; the second one is damaged by the caller. */
async function worldOfSegments(): Promise<JournalWorld> {
  const world = new JournalWorld();
  const journal = await world.open({ limits: { segmentBytes: 2500 } });
  for (let n = 0; n < deeds; n += 1) await journal.append([deed(n)]);
  await journal.append([deed(deeds, 'x'.repeat(100_000))]);
  await journal.close();
  return world;
}

const second = `${worldDirectory}/deeds/2026-03-01.002.jsonl`;

function options(world: JournalWorld): RepairOptions {
  return { directory: worldDirectory, principal: 'human:ada', nowMs: 0, fileSystem: world.sim.mount(), lock: noLock };
}

async function faultsOf(world: JournalWorld): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  for await (const fault of verifyJournal({ directory: worldDirectory, fileSystem: world.sim.mount(), blobs: true }))
    faults.push(fault);
  return faults;
}

function linesOf(bytes: Buffer): string[] {
  return bytes.toString('utf8').split('\n').slice(0, -1);
}

/** Damage to a segment's lines, and the sequences (relative to the segment's first) that it costs. */
const damages: readonly [string, (lines: string[]) => string[], readonly number[]][] = [
  ['a changed line', (lines) => lines.with(2, lines[2]?.replace('agent', 'angel') ?? ''), [2]],
  ['two changed lines', (lines) => lines.with(1, 'x').with(3, 'y'), [1, 3]],
  ['a deleted line', (lines) => lines.toSpliced(2, 1), [2]],
  ['a doubled line', (lines) => lines.toSpliced(2, 0, lines[1] ?? ''), []],
  ['swapped lines', (lines) => lines.with(1, lines[2] ?? '').with(2, lines[1] ?? ''), []],
  ['a cut segment', (lines) => lines.slice(0, 3), [3, 4, 5, 6, 7]],
  ['a lost first line', (lines) => lines.slice(1), [0]],
  ['a changed footer', (lines) => lines.with(-1, lines.at(-1)?.replace('count', 'mount') ?? ''), []],
];

describe('repair', () => {
  it('has nothing to do where nothing is wrong', async () => {
    const world = await worldOfSegments();
    expect(await planRepair(options(world))).toEqual([]);
    expect(await faultsOf(world)).toEqual([]);
  });

  for (const [what, change, lost] of damages)
    verifies(
      'journal:repair-leaves-a-gap',
      `after ${what}, keeps all that is right and says what is lost`,
      async () => {
        const world = await worldOfSegments();
        const before = await numbers((await world.open()).read('deeds'));
        let firstSeq = 0;
        world.sim.edit(second, (bytes) => {
          firstSeq = (JSON.parse(linesOf(bytes)[0] ?? '') as { seq: number }).seq;
          expect(linesOf(bytes)).toHaveLength(9);
          const changed = Buffer.from(
            change(linesOf(bytes))
              .map((line) => `${line}\n`)
              .join(''),
          );
          return changed;
        });
        const [plan] = await planRepair(options(world));
        expect(plan?.refusal).toBeUndefined();
        expect((await faultsOf(world)).length, 'a plan changes nothing').toBeGreaterThan(0);
        await applyRepair(options(world));
        expect(await faultsOf(world)).toEqual([]);
        const journal = await world.open();
        expect(journal.mode).toBe('Writable');
        const lostSeqs = lost.map((index) => firstSeq + index);
        const kept = before.filter((n) => !lostSeqs.includes(Number(n) + 1));
        expect(await numbers(journal.read('deeds'))).toEqual(kept);
        expect(await numbers(journal.read('deeds', { fromSeq: firstSeq + 8 }))).toEqual(
          kept.filter((n) => Number(n) + 1 >= firstSeq + 8),
        );
        const gaps = (await collect(journal.read('deeds'))).filter(({ kind }) => kind === 'Gap');
        expect(gaps.flatMap(({ payload }) => rangeOf(payload as { lostFromSeq: number; lostToSeq: number }))).toEqual(
          lostSeqs,
        );
        const copies = await world.sim.mount().list(`${worldDirectory}/damaged`);
        expect(copies.some((name) => name.startsWith('deeds.2026-03-01.002.jsonl.'))).toBe(true);
        await journal.append([deed(99)]);
        await journal.close();
        expect((await world.open()).mode).toBe('Writable');
      },
    );

  verifies(
    'journal:repair-leaves-a-gap',
    'lists orders, kinds and runs of what it gives up, and records them',
    async () => {
      const world = new JournalWorld();
      const journal = await world.open();
      const orders: number[] = [];
      for (const [n, runId] of ['before', 'lost', 'lost-too', 'after', 'later'].entries()) {
        const [record] = await journal.append([{ ...deed(n), runId }]);
        await journal.append([sign(n)]);
        orders.push(record?.order ?? -1);
      }
      await journal.close();
      await world.edit('deeds', (bytes) => {
        const lines = linesOf(bytes).map((line) => line.replace(/("n":[12],"text":")/, '$1x'));
        return Buffer.from(lines.map((line) => `${line}\n`).join(''));
      });
      const lost = {
        orders: orders.slice(1, 3).map((order) => ({ from: order, to: order })),
        kinds: ['Deed'],
        runs: ['before', 'lost', 'lost-too', 'after'],
      };
      const plan = await planRepair(options(world));
      expect(plan.map((it) => it.lost)).toEqual([[{ fromSeq: 2, toSeq: 3, ...lost }]]);
      await applyRepair({ ...options(world), reason: 'a bad sector' });
      const gaps = (await collect((await world.open()).read('deeds'))).filter(({ kind }) => kind === 'Gap');
      expect(gaps).toMatchObject([
        {
          order: orders[1],
          principal: 'human:ada',
          payload: {
            ...{ lostFromSeq: 2, lostToSeq: 3, reason: 'a bad sector' },
            ...{ lostOrders: lost.orders, lostKinds: lost.kinds, runs: lost.runs },
          },
        },
      ]);
    },
  );

  it('is refused while another process holds the journal', async () => {
    const world = await worldOfSegments();
    world.sim.edit(second, (bytes) => bytes.subarray(0, bytes.length - 200));
    const held = { acquire: () => Promise.reject(new Error('held')) };
    await expect(applyRepair({ ...options(world), lock: held })).rejects.toThrow('held');
    expect((await faultsOf(world)).length).toBeGreaterThan(0);
  });

  it('is finished by running it again, wherever the power failed', async () => {
    for (let operation = 1; ; operation += 1) {
      const world = await worldOfSegments();
      world.sim.edit(second, (bytes) =>
        Buffer.from(
          linesOf(bytes)
            .with(2, 'x')
            .map((line) => `${line}\n`)
            .join(''),
        ),
      );
      world.sim.powerCut = { operation: world.sim.operations + operation, when: 'After' };
      const done = await applyRepair(options(world)).then(
        () => true,
        () => false,
      );
      world.sim.crash(() => (operation % 3) / 3);
      await applyRepair(options(world));
      const journal = await world.open();
      expect(journal.mode, `cut at operation ${operation}`).toBe('Writable');
      expect(await numbers(journal.read('deeds'))).toHaveLength(deeds);
      if (done) return;
    }
  });

  it('leaves two writers to a person', async () => {
    const world = await worldOfSegments();
    const other = await worldOfSegments();
    const foreign = await other.text('deeds/2026-03-01.002.jsonl');
    world.sim.edit(second, (bytes) => Buffer.concat([bytes, Buffer.from(foreign)]));
    const [plan] = await planRepair(options(world));
    expect(plan?.refusal).toMatch(/two writers|continue/);
    await applyRepair(options(world));
    expect(await world.text('deeds/2026-03-01.002.jsonl')).toContain(foreign);
  });
});

describe('verify', () => {
  it('misses no head that was cut, rewritten or never there', async () => {
    const world = await worldOfSegments();
    const journal = await world.open();
    const [head] = journal.heads().filter(({ store }) => store === 'deeds');
    const known = head === undefined ? [] : [head, { ...head, seq: 5 }, { ...head, seq: 500 }];
    const scan = verifyStore({
      directory: worldDirectory,
      store: 'deeds',
      fileSystem: world.sim.mount(),
      knownHeads: known,
    });
    const missing: number[] = [];
    for await (const { kind, seq } of scan) if (kind === 'HeadMissing') missing.push(seq);
    expect(missing).toEqual([5, 500]);
  });

  it('misses no blob that was changed or removed', async () => {
    const world = await worldOfSegments();
    const disk = world.sim.mount();
    const [folder = ''] = await disk.list(`${worldDirectory}/blobs`);
    const [name = ''] = await disk.list(`${worldDirectory}/blobs/${folder}`);
    const path = `${worldDirectory}/blobs/${folder}/${name}`;
    world.sim.edit(path, (bytes) => Buffer.from(bytes).fill(0, 30, 40));
    expect((await faultsOf(world)).map(({ kind, seq }) => [kind, seq])).toEqual([['BlobDamaged', deeds + 1]]);
    await disk.unlink(path);
    expect((await faultsOf(world)).map(({ kind, seq }) => [kind, seq])).toEqual([['BlobMissing', deeds + 1]]);
  });

  it('goes on where it ended, and lets a writer be at work', async () => {
    const world = await worldOfSegments();
    const journal = await world.open();
    const shared = { directory: worldDirectory, store: 'deeds', fileSystem: world.sim.mount(), live: true };
    const first = await runToEnd(verifyStore(shared));
    await journal.append([deed(100), deed(101)]);
    await world.edit('deeds', (bytes) => Buffer.concat([bytes, Buffer.from('{"store":"de')]));
    const next = await runToEnd(verifyStore({ ...shared, start: first.end }));
    expect([next.records, next.faults, next.head?.seq]).toEqual([2, 0, (first.head?.seq ?? 0) + 2]);
    expect((await runToEnd(verifyStore({ ...shared, start: next.end }))).records).toBe(0);
  });
});

function rangeOf({ lostFromSeq, lostToSeq }: { lostFromSeq: number; lostToSeq: number }): number[] {
  return Array.from({ length: lostToSeq - lostFromSeq + 1 }, (_, index) => lostFromSeq + index);
}

async function runToEnd<T>(generator: AsyncGenerator<unknown, T>): Promise<T> {
  for (;;) {
    const step = await generator.next();
    if (step.done === true) return step.value;
  }
}
