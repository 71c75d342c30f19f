import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Json } from '@retainer/contract/std/canonical-json';
import { collect, JournalWorld, worldDirectory } from '../../../test/chaos/journal-world.ts';
import { noLock } from '../../../test/support/journal/no-lock.ts';
import { Seeded } from '../../../test/support/seeded.ts';
import { FaultFileSystem } from '../../../test/support/journal/fault-file-system.ts';
import { verifies } from '../../../test/verifies.ts';
import { InvalidRecordError, MissingPartError } from './journal-errors.ts';
import type { Journal, JournalRecord, NewRecord } from './journal.ts';
import { defineStores, type OpenJournalOptions } from './open-journal.ts';
import { openJournalReader } from './open-reader.ts';
import { applyRepair } from './repair.ts';

const said = { version: 1, schema: z.looseObject({}), saidOnce: true } as const;
const stores = defineStores([
  { name: 'asked', durability: 'durable', kinds: { Asked: said, Other: { version: 1, schema: z.looseObject({}) } } },
  { name: 'begun', durability: 'durable', kinds: { Begun: said } },
]);

const LONG = 'What everybody of the run is told. '.repeat(10);
const spec = { id: 'c1', system: [{ text: LONG }], input: `${LONG}And this.` };

const asked = (payload: Json, runId = 'r'): NewRecord => ({
  store: 'asked',
  kind: 'Asked',
  principal: 'a',
  payload,
  runId,
});
const begun = (payload: Json, runId = 'r'): NewRecord => ({
  store: 'begun',
  kind: 'Begun',
  principal: 'a',
  payload,
  runId,
});

class SaidWorld extends JournalWorld {
  override open(changes: Partial<OpenJournalOptions> = {}): Promise<Journal> {
    return super.open({ stores, ...changes });
  }

  /** Payloads as they stand in the file. */
  async written(store: string): Promise<readonly Json[]> {
    const texts = await Promise.all((await this.files(store)).map((file) => this.text(`${store}/${file}`)));
    const lines = texts.flatMap((it) => it.split('\n')).filter((it) => it.includes('"principal":"a"'));
    return lines.map((it) => (JSON.parse(it) as { payload: Json }).payload);
  }
}

const own = (records: readonly JournalRecord[]): readonly JournalRecord[] =>
  records.filter((it) => it.principal === 'a');
const payloads = async (records: AsyncIterable<JournalRecord>): Promise<readonly Json[]> =>
  own(await collect(records)).map(({ payload }) => payload);

describe('a part that was said before', () => {
  verifies(
    'journal:said-once',
    'is written as its place, in the same store, in another, in the same append',
    async () => {
      const world = new SaidWorld();
      const journal = await world.open();
      await journal.append([asked({ spec })]);
      await journal.append([begun({ spec }), begun({ request: { system: spec.system, turn: 1 } })]);
      await journal.append([begun({ request: { system: spec.system, turn: 2, input: spec.input } })]);
      expect(await world.written('begun')).toEqual([
        { spec: 'asked/1/spec', said: ['/spec'] },
        { request: { system: 'asked/1/spec/system', turn: 1 }, said: ['/request/system'] },
        {
          request: { system: 'asked/1/spec/system', turn: 2, input: 'asked/1/spec/input' },
          said: ['/request/system', '/request/input'],
        },
      ]);
    },
  );

  verifies('journal:said-once', 'is read as it was said, by any reader, from any record on', async () => {
    const world = new SaidWorld();
    const journal = await world.open();
    const all = [{ spec }, { spec, more: [LONG] }, { spec: { ...spec, id: 'c2' } }];
    await journal.append([asked(all[0] ?? null)]);
    const appended = await journal.append(all.map((it) => begun(it)));
    expect(appended.map(({ payload }) => payload)).toEqual(all);
    expect(await collect(journal.read('begun', { fromSeq: 1 }))).toEqual(appended);
    expect(await collect(journal.read('begun', { fromSeq: 3 }))).toEqual(appended.slice(2));
    expect(own(await collect(journal.readAll(['asked', 'begun'])))).toHaveLength(4);
    await journal.close();
    const fileSystem = world.sim.mount();
    const reader = await openJournalReader({ directory: worldDirectory, stores, clock: world.clock, fileSystem });
    expect(await payloads(reader.read('begun'))).toEqual(all);
  });

  verifies('journal:said-once', 'is not what another run said, nor what a kind without places says', async () => {
    const world = new SaidWorld();
    const journal = await world.open();
    const other: NewRecord = { ...asked({ spec }), kind: 'Other' };
    const { runId: _, ...ofNone } = begun({ spec });
    await journal.append([asked({ spec }, 'another'), other]);
    await journal.append([begun({ spec }), ofNone]);
    await journal.append([other]);
    const lines = [...(await world.written('asked')), ...(await world.written('begun'))];
    expect(lines).toEqual(Array.from({ length: 5 }, () => ({ spec })));
  });

  verifies('journal:said-once', 'is found in a blob and in an earlier segment', async () => {
    const world = new SaidWorld();
    const journal = await world.open({ limits: { segmentBytes: 2000 } });
    const large = { text: 'long '.repeat(20_000), spec };
    await journal.append([asked({ large })]);
    for (let turn = 0; turn < 8; turn += 1) await journal.append([asked({ turn, of: `${turn} ${LONG}` })]);
    await journal.append([begun({ large: large.text, spec })]);
    expect((await world.files('asked')).length).toBeGreaterThan(2);
    expect(await world.written('begun')).toEqual([
      { large: 'asked/1/large/text', spec: 'asked/1/large/spec', said: ['/large', '/spec'] },
    ]);
    expect(await payloads(journal.read('begun'))).toEqual([{ large: large.text, spec }]);
  });

  verifies('journal:said-once', 'is what it was, for any payloads in any order of records', async () => {
    const text = fc.constantFrom(LONG, `${LONG}2`, 'asked/1/spec', 'short', '\ud800'.repeat(300), '\udfff'.repeat(300));
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'said', '__proto__', '0', 'x/y~'), tie('value'), { maxKeys: 3 }),
      ),
    }));
    const record = fc.record({ isBegun: fc.boolean(), runId: fc.constantFrom('r', 's'), spec: value });
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 12 }), async (records) => {
        const journal = await new SaidWorld().open();
        for (const { isBegun, runId, spec: it } of records)
          await journal.append([isBegun ? begun({ it }, runId) : asked({ it }, runId)]);
        const found = own(await collect(journal.readAll(['asked', 'begun'])));
        expect(found.map(({ payload }) => JSON.stringify(payload))).toEqual(
          records.map(({ spec: it }) => JSON.stringify({ it })),
        );
      }),
      { numRuns: 60 },
    );
  });

  verifies('journal:said-once', 'of a store that comes later in the table is said again', async () => {
    const world = new SaidWorld();
    const journal = await world.open();
    await journal.append([begun({ spec })]);
    await journal.append([asked({ spec })]);
    await journal.append([asked({ again: spec })]);
    expect(await world.written('asked')).toEqual([{ spec }, { again: 'asked/1/spec', said: ['/again'] }]);
  });

  it('is said again after a start: nobody read the record for it', async () => {
    const world = new SaidWorld();
    const first = await world.open();
    await first.append([asked({ spec })]);
    await first.close();
    const second = await world.open();
    await second.append([begun({ spec })]);
    expect(await world.written('begun')).toEqual([{ spec }]);
  });
});

describe('what a crash can take', () => {
  verifies('journal:said-once', 'of another store is named by nobody: it is not yet acknowledged', async () => {
    const world = new SaidWorld();
    const journal = await world.open();
    await Promise.all([journal.append([asked({ spec })]), journal.append([begun({ spec })])]);
    expect(await world.written('begun')).toEqual([{ spec }]);
  });

  it('of a refused append is named by nobody', async () => {
    const world = new SaidWorld();
    const journal = await world.open();
    const wrong: NewRecord = { ...asked({}), kind: 'None' };
    await expect(journal.append([asked({ spec }), wrong])).rejects.toThrow(InvalidRecordError);
    await journal.append([asked({ unlike: true })]);
    await journal.append([asked({ spec })]);
    expect(await world.written('asked')).toEqual([{ unlike: true }, { spec }]);
  });

  it('of an append that failed is named by nobody', async () => {
    const world = new SaidWorld();
    const faulty = new FaultFileSystem(world.sim.mount());
    const journal = await world.open({ fileSystem: faulty.view() });
    faulty.failNext({ operation: 'write', code: 'ENOSPC' });
    await expect(journal.append([asked({ spec })])).rejects.toThrow(/ENOSPC/);
    expect(await journal.tryResume()).toBe(true);
    await journal.append([asked({ spec })]);
    expect(await world.written('asked')).toEqual([{ spec }]);
  });
});

describe('a power loss', () => {
  verifies('journal:said-once', 'leaves no record that names what it took', async () => {
    let kept = 0;
    for (let seed = 0; seed < 40; seed += 1) {
      const dice = new Seeded(seed);
      const random = (): number => dice.below(1_000) / 1_000;
      const world = new SaidWorld();
      const journal = await world.open();
      world.sim.powerCut = { operation: world.sim.operations + 1 + Math.floor(random() * 60), when: 'Before' };
      // Each says what others say at the same time, in one store or the other, until the power fails.
      const lives = Array.from({ length: 4 }, async () => {
        for (let at = 0; at < 20; at += 1) {
          const payload = { part: `${at} ${LONG}` };
          await journal.append([random() < 0.5 ? asked(payload) : begun(payload)]);
        }
      });
      await Promise.allSettled(lives);
      world.sim.crash(random);
      const records = own(await collect((await world.open()).readAll(['asked', 'begun'])));
      kept += records.length;
      for (const { payload } of records)
        expect(payload, `seed ${seed}`).toEqual({ part: expect.stringMatching(/^\d+ What everybody/) as string });
    }
    expect(kept).toBeGreaterThan(500);
  });
});

describe('a place where nothing stands', () => {
  /** Of two runs, whose parts stand in `asked`. A repair gave up the first of them. */
  async function repaired(): Promise<Journal> {
    const world = new SaidWorld();
    const journal = await world.open();
    await journal.append([asked({ spec })]);
    await journal.append([asked({ spec }, 's')]);
    await journal.append([begun({ spec }), begun({ atMs: 1 }), begun({ spec }, 's')]);
    await journal.close();
    await world.edit('asked', (bytes) => Buffer.from(bytes.toString().replace('And this', 'And that')));
    const disk = { directory: worldDirectory, fileSystem: world.sim.mount(), lock: noLock };
    await applyRepair({ ...disk, principal: 'human:ada', nowMs: 0 });
    return world.open();
  }

  verifies('journal:missing-part', 'costs its record, which names store, sequence and what is missing', async () => {
    const journal = await repaired();
    expect(journal.mode).toBe('Writable');
    const records = own(await collect(journal.read('begun')));
    expect(records.map(({ runId, seq }) => [runId, seq])).toEqual([
      ['r', 1],
      ['r', 2],
      ['s', 3],
    ]);
    expect(() => records[0]?.payload).toThrow(
      /store begun, sequence 1: its \/spec stands at asked\/1\/spec, and a repair gave that up/,
    );
    expect(records.slice(1).map(({ payload }) => payload)).toEqual([{ atMs: 1 }, { spec }]);
  });

  verifies('journal:missing-part', 'is one that leads to a later record, or to what is no place', async () => {
    const world = new SaidWorld();
    // A kind that takes everything as it is, as an older table had it.
    const { saidOnce: _, ...plain } = said;
    const liar = defineStores([{ name: 'asked', durability: 'durable', kinds: { Asked: plain } }]);
    const journal = await world.open({ stores: liar });
    const places = ['asked/2/spec', 'asked/1/spec', 'asked/9/spec', 'none/0/spec', 'asked/0/none', 'spec'];
    for (const spec of places) await journal.append([asked({ spec, said: ['/spec'] })]);
    await journal.append([asked({ spec: 'asked/0/storeId', said: ['/spec', '/nowhere'] })]);
    await journal.close();
    const records = own(await collect((await world.open({ stores: [stores[0]] })).read('asked')));
    expect(records).toHaveLength(places.length + 1);
    for (const record of records) expect(() => record.payload).toThrow(MissingPartError);
  });
});
