import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '@retainer/contract/std/system-clock';
import {
  note,
  openSampleJournal,
  readSegments,
  rewriteRecord,
  rewriteSuffix,
} from '../../../test/support/sample-journal.ts';
import { noLock } from '../../../test/support/journal/no-lock.ts';
import { testSeed } from '../../../test/support/seed.ts';
import { Seeded } from '../../../test/support/seeded.ts';
import { verifies } from '../../../test/verifies.ts';
import { missingHeads } from './compare-heads.ts';
import type { Head } from './journal.ts';
import { realFileSystem } from './real-file-system.ts';
import { applyRepair, planRepair } from './repair.ts';
import { headsToCompare, readTestimony } from './testimony.ts';
import { verifyJournal, type Fault, type VerifiedStore } from './verify.ts';

const fileSystem = realFileSystem;
const root = mkdtempSync(join(tmpdir(), 'compare-heads-'));
const original = join(root, 'original');
const random = new Seeded(testSeed);
const openings = 5;

/** Several openings, several segments. */
beforeAll(async () => {
  for (let opening = 0; opening < openings; opening += 1) {
    const journal = await openSampleJournal(original, systemClock, { segmentBytes: 8_000 });
    for (const store of ['alpha', 'beta'] as const)
      await journal.append(Array.from({ length: 12 }, (_, at) => note(store, at)));
    await journal.append(Array.from({ length: 12 }, (_, at) => note('alpha', at)));
    await journal.close();
  }
});
afterAll(() => rmSync(root, { recursive: true }));

/** A store whose lines have these lengths, about. */
async function expectAllFound(lengths: readonly number[]): Promise<void> {
  const directory = join(root, `lengths-${lengths.join('-')}`);
  const journal = await openSampleJournal(directory, systemClock, { segmentBytes: 10_000_000 });
  for (const length of lengths) await journal.append([note('alpha', length, 'z'.repeat(length))]);
  await journal.close();
  const heads = headsOf(directory, 'alpha');
  expect(heads).toHaveLength(lengths.length + 1);
  expect(await missingHeads({ fileSystem, directory, store: 'alpha' }, heads), lengths.join()).toEqual([]);
  for (const head of heads) expect(await missingHeads({ fileSystem, directory, store: 'alpha' }, [head])).toEqual([]);
}

let copies = 0;

function copy(): string {
  copies += 1;
  const directory = join(root, `copy-${copies}`);
  cpSync(original, directory, { recursive: true });
  return directory;
}

function filesIn(directory: string): ReadonlyMap<string, string> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((it) => it.isFile());
  const paths = entries.map((it) => join(it.parentPath, it.name));
  return new Map(paths.map((path) => [path, readFileSync(path, 'latin1')]));
}

function headsOf(directory: string, store: string): readonly Head[] {
  const lines = readSegments(directory, store).flatMap((it) => it.lines);
  const records = lines.filter((line) => !line.startsWith('{"footer"')).map((line) => JSON.parse(line));
  return records.map(({ seq, hash, epoch }) => ({ store, seq, hash, epoch }));
}

async function verified(directory: string): Promise<{ faults: readonly Fault[]; stores: readonly VerifiedStore[] }> {
  const faults: Fault[] = [];
  const verification = verifyJournal({ directory });
  let step = await verification.next();
  for (; step.done !== true; step = await verification.next()) faults.push(step.value);
  return { faults, stores: step.value };
}

const shared = { principal: 'human:ada', nowMs: Date.UTC(2026, 2, 1), lock: noLock };

describe('heads that were seen before', () => {
  it('are found by a look at their lines, wherever these are', async () => {
    const directory = join(root, 'long');
    const journal = await openSampleJournal(directory, systemClock, { segmentBytes: 600_000 });
    for (let at = 0; at < 60; at += 1)
      await journal.append(
        Array.from({ length: 1 + random.below(20) }, () => note('alpha', at, 'y'.repeat(1 + random.below(4_000)))),
      );
    // As long as a line may be, beside those of a few bytes.
    for (const length of [10, 64_000, 10, 60_000, 10])
      await journal.append([note('alpha', length, 'z'.repeat(length))]);
    await journal.close();
    const heads = headsOf(directory, 'alpha');
    const place = { fileSystem, directory, store: 'alpha' };
    expect(readSegments(directory, 'alpha').length).toBeGreaterThan(1);
    expect(await missingHeads(place, heads)).toEqual([]);
    const others = heads.map((head) => ({ ...head, hash: head.hash.replaceAll(/[0-9a-f]/g, '0') }));
    expect(await missingHeads(place, others)).toEqual(others);
    for (const lengths of [[20_000], [60_000, 60_000], [5, 30_000, 5], [16_000, 16_500, 17_000, 33_000]])
      await expectAllFound(lengths);
    const beyond = { store: 'alpha', seq: heads.length, hash: heads[0]?.hash ?? '', epoch: 1 };
    expect(await missingHeads(place, [...heads, beyond, { ...beyond, store: 'beta' }])).toEqual([beyond]);
  });

  verifies('journal:noted-heads-compared', 'whichever record was forged, and nothing is written', async () => {
    const { heads } = await readTestimony(fileSystem, original);
    for (let fork = 0; fork < 40; fork += 1) {
      const store = ['alpha', 'beta', 'system'][fork % 3] ?? 'alpha';
      const last = Math.max(...heads.filter((head) => head.store === store).map(({ seq }) => seq));
      const seq = random.below(last + 1);
      const directory = copy();
      rewriteRecord(directory, store, seq, (record) => ({ ...record, principal: 'human:mallory' }));
      const forged = filesIn(directory);
      const { faults } = await verified(directory);
      expect(new Set(faults.map(({ kind }) => kind)), `${store}/${seq}`).toEqual(new Set(['HeadMissing']));
      await expect(openSampleJournal(directory, systemClock), `${store}/${seq}`).rejects.toMatchObject({
        reason: 'Rollback',
        message: expect.stringContaining(`store ${store}, sequence `),
      });
      expect(filesIn(directory)).toEqual(forged);
      rmSync(directory, { recursive: true });
    }
  });

  verifies('journal:noted-heads-compared', 'also those before a note that fits the forgery', async () => {
    const directory = copy();
    takenUp(directory, 20);
    const { faults } = await verified(directory);
    expect(
      new Set(faults.filter(({ kind }) => kind !== 'CheckpointMissing').map(({ kind, store }) => `${kind} ${store}`)),
    ).toEqual(new Set(['HeadMissing alpha']));
    await expect(openSampleJournal(directory, systemClock)).rejects.toMatchObject({ reason: 'Rollback' });
  });

  verifies(
    'journal:noted-heads-compared',
    'a bounded number at an opening, the newest of each store among them',
    async () => {
      const { heads } = await readTestimony(fileSystem, original);
      const newest = (store: string): Head | undefined => heads.findLast((head) => head.store === store);
      const [beta, ...others] = heads.filter(({ store }) => store === 'beta');
      const many = { heads: [...(beta === undefined ? [] : [beta]), ...heads.filter(({ store }) => store !== 'beta')] };
      expect(others.length).toBeGreaterThan(0);
      expect(headsToCompare(many, 4)).toContain(beta);
      expect(headsToCompare(many, 4).length).toBeLessThan(8);
      expect(headsToCompare({ heads }, 1)).toEqual(expect.arrayContaining([newest('alpha'), newest('system')]));
      expect(new Set(headsToCompare({ heads }))).toEqual(new Set(heads));
    },
  );

  verifies(
    'journal:noted-heads-compared',
    'also where the same sequence was noted again, with another hash',
    async () => {
      const directory = copy();
      // A closing noted the end of the store, and the next opening the same end; only the closing knows the true hash.
      const { heads } = await readTestimony(fileSystem, directory);
      const end = heads.filter(({ store }) => store === 'alpha').at(-2);
      takenUp(directory, end?.seq ?? 0, 2);
      await expect(openSampleJournal(directory, systemClock)).rejects.toMatchObject({
        message: expect.stringContaining(`store alpha, sequence ${end?.seq}: `),
      });
    },
  );

  verifies('journal:noted-heads-compared', 'but not what no note covers: a crash may rightly take that', async () => {
    const directory = copy();
    const journal = await openSampleJournal(directory, systemClock);
    await journal.append([note('alpha', 1), note('alpha', 2)]);
    const [newest] = journal.heads().filter(({ store }) => store === 'alpha');
    const killed = join(root, 'killed');
    cpSync(directory, killed, { recursive: true });
    await journal.close();
    rewriteSuffix(killed, 'alpha', newest?.seq ?? 0);
    const after = await openSampleJournal(killed, systemClock);
    expect(after.mode).toBe('Writable');
    await after.close();
  });

  verifies('journal:noted-heads-compared', 'nor a last line that lost its newline alone', async () => {
    const directory = copy();
    const [last] = readSegments(directory, 'alpha').slice(-1);
    const path = join(directory, 'alpha', last?.file ?? '');
    truncateSync(path, statSync(path).size - 1);
    const journal = await openSampleJournal(directory, systemClock);
    expect(journal.mode).not.toBe('Degraded');
    await journal.close();
  });

  verifies('journal:noted-heads-compared', 'every head that is given from outside, not one of each store', async () => {
    const kept = headsOf(original, 'alpha');
    const directory = copy();
    const isKept = [kept[3], kept[7]].filter((head) => head !== undefined);
    const journal = await openSampleJournal(directory, systemClock, {}, { knownHeads: isKept });
    await journal.close();
    const other = { store: 'alpha', seq: 5, epoch: 1, hash: '0'.repeat(64) };
    await expect(
      openSampleJournal(directory, systemClock, {}, { knownHeads: [...isKept, other] }),
    ).rejects.toMatchObject({
      reason: 'Rollback',
    });
  });
});

/** The newest notes name the forgery, as those of a program did that compared nothing. */
function takenUp(directory: string, fromSeq: number, notes = 3): void {
  rewriteSuffix(directory, 'alpha', fromSeq);
  rmSync(join(directory, 'checkpoints'), { recursive: true });
  const end = headsOf(directory, 'system').length;
  for (let seq = end - notes; seq < end; seq += 1) {
    const now = [...headsOf(directory, 'alpha'), ...headsOf(directory, 'system')];
    const hashes = new Map(now.map((head) => [`${head.store}/${head.seq}`, head.hash]));
    rewriteRecord(directory, 'system', seq, ({ payload, prev, hash, ...front }) => {
      const { heads = [] } = payload as { readonly heads?: readonly Head[] };
      const fitting = heads.map((head) => ({ ...head, hash: hashes.get(`${head.store}/${head.seq}`) ?? head.hash }));
      return { ...front, payload: { ...payload, heads: fitting }, prev, hash };
    });
  }
}

describe('the repair of a store that contradicts them', () => {
  verifies('journal:repair-gives-up-forged', 'shows what it gives up, and changes nothing before', async () => {
    const directory = copy();
    rewriteRecord(directory, 'beta', 30, (record) => ({ ...record, principal: 'human:mallory' }));
    const before = filesIn(directory);
    const [plan, ...more] = await planRepair({ ...shared, directory });
    expect(more).toEqual([]);
    expect(plan).toMatchObject({ store: 'beta', refusal: undefined, faults: [{ kind: 'HeadMissing', seq: 60 }] });
    expect(plan?.lost).toMatchObject([{ fromSeq: 25, toSeq: 60, kinds: ['Note'] }]);
    expect(filesIn(directory)).toEqual(before);
  });

  const forgeries = [
    ['alpha', 0],
    ['alpha', 30],
    ['alpha', 100],
    ['beta', 14],
    ['system', 5],
  ] as const;
  for (const [store, seq] of forgeries)
    verifies(
      'journal:repair-gives-up-forged',
      `${store} from ${seq}: keeps what is proved, records the rest as lost`,
      async () => {
        const directory = copy();
        rewriteRecord(directory, store, seq, (record) => ({ ...record, principal: 'human:mallory' }));
        await applyRepair({ ...shared, directory, reason: 'forged' });
        expect(await planRepair({ ...shared, directory })).toEqual([]);
        const { faults, stores } = await verified(directory);
        expect(faults.filter(({ kind }) => kind !== 'CheckpointMissing')).toEqual([]);
        const gaps = stores.flatMap((it) => it.gaps);
        expect(gaps).toMatchObject([{ store, principal: 'human:ada', reason: 'forged' }]);
        expect(gaps[0]?.lostFromSeq).toBeLessThanOrEqual(seq);
        expect(gaps[0]?.lostToSeq).toBeGreaterThanOrEqual(seq);
        expect(headsOf(directory, store).some((head) => head.seq === seq && head.seq !== gaps[0]?.seq)).toBe(false);
        const journal = await openSampleJournal(directory, systemClock);
        expect(journal.mode).toBe('Writable');
        await journal.append([note('alpha', 1)]);
        await journal.close();
        expect((await verified(directory)).faults).toEqual([]);
      },
    );

  verifies('journal:repair-gives-up-forged', 'keeps what was written after a forgery that was taken up', async () => {
    const directory = copy();
    const newest = headsOf(directory, 'alpha').length - 1;
    takenUp(directory, 20);
    await applyRepair({ ...shared, directory, reason: 'forged' });
    const { faults, stores } = await verified(directory);
    expect(faults.filter(({ kind }) => kind !== 'CheckpointMissing')).toEqual([]);
    const [gap] = stores.flatMap((it) => it.gaps);
    expect(gap).toMatchObject({ store: 'alpha', lostFromSeq: expect.any(Number) });
    expect(gap?.lostToSeq).toBeLessThan(newest);
    expect(headsOf(directory, 'alpha').at(-1)?.seq).toBe(newest);
  });
});
