import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Json } from '@retainer/contract/std/canonical-json';
import { systemClock } from '@retainer/contract/std/system-clock';
import { defineStores, openJournal, type StoreDefinition } from '@retainer/journal/open-journal';
import type { Journal, NewRecord } from '@retainer/journal/journal';
import { noLock } from '../../../test/support/journal/no-lock.ts';
import { readSegments } from '../../../test/support/sample-journal.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { verifies } from '../../../test/verifies.ts';
import { readJournalLine } from './journal-line.ts';
import { WholePayloads } from './whole-payload.ts';

const plain = { version: 1, schema: z.looseObject({}) } as const;
const store = (name: string, kind: typeof plain): StoreDefinition => ({
  name,
  durability: 'durable',
  kinds: { Said: kind },
});
const stores = defineStores(['run', 'cycle'].map((name) => store(name, { ...plain, saidOnce: true } as typeof plain)));
/** Of an agent that writes places of its own making. */
const liar = defineStores([store('run', plain), store('cycle', plain)]);

const LONG = 'What everybody of the run is told. '.repeat(10);
const root = temporaryDirectory();
afterEach(() => root.remove());
let worlds = 0;

function open(definitions: readonly StoreDefinition[] = stores, segmentBytes = 1_000_000): Promise<Journal> {
  worlds += 1;
  const limits = { ballastBytes: 0, segmentBytes };
  return openJournal({
    directory: here(),
    stores: definitions,
    agentUid: 'a',
    clock: systemClock,
    lock: noLock,
    limits,
  });
}

const here = (): string => join(root.path, `${worlds}`);
const said = (name: string, payload: Json): NewRecord => ({
  store: name,
  kind: 'Said',
  principal: 'agent',
  payload,
  runId: 'r',
});

/** As the auditor reads it. */
async function audited(name: string): Promise<readonly unknown[]> {
  const payloads = new WholePayloads(here(), (_store, kind) => kind === 'Said');
  const found: unknown[] = [];
  for (const text of readSegments(here(), name).flatMap(({ lines }) => lines)) {
    const bytes = Buffer.from(text);
    const line = readJournalLine(name, bytes);
    if (line.type === 'Record' && line.recordKind === 'Said') found.push(await payloads.read(name, line, bytes));
  }
  await payloads.forget();
  return found;
}

describe('what the auditor reads', () => {
  verifies('audit:reads-as-said', 'is what the agent said, for any payloads in any order', async () => {
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(LONG, `${LONG}2`, 'run/1/it', 'short'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'said', '__proto__', '0', 'x/y~'), tie('value'), { maxKeys: 3 }),
      ),
    }));
    const record = fc.record({ name: fc.constantFrom('run', 'cycle'), it: value });
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 12 }), async (records) => {
        const journal = await open();
        for (const { name, it: payload } of records) await journal.append([said(name, { it: payload })]);
        for (const name of ['run', 'cycle']) {
          const own = records.filter((it) => it.name === name).map((it) => JSON.stringify({ it: it.it }));
          expect((await audited(name)).map((it) => JSON.stringify(it))).toEqual(own);
        }
        await journal.close();
      }),
      { numRuns: 25 },
    );
  });

  verifies('audit:reads-as-said', 'is found in any segment of another store', async () => {
    const journal = await open(stores, 2_000);
    const texts = Array.from({ length: 30 }, (_, at) => `${at} ${LONG}`);
    for (const text of texts) await journal.append([said('run', { text })]);
    for (const text of texts.toReversed()) await journal.append([said('cycle', { text })]);
    expect(readSegments(here(), 'run').length).toBeGreaterThan(3);
    expect(readSegments(here(), 'cycle')[0]?.lines[1]).toContain('"text":"run/30/text"');
    expect(await audited('cycle')).toEqual(texts.toReversed().map((text) => ({ text })));
    await journal.close();
  });
});

describe('an agent that lies', () => {
  it.each(['run/2/text', 'run/1/text', 'run/9/text', 'none/0/text', 'run/0/none', '../run/0/storeId', 'text'])(
    'is not followed to %s, which is no earlier place',
    async (text) => {
      const journal = await open(liar);
      await journal.append([said('run', { text, said: ['/text'] }), said('run', { text: LONG })]);
      expect(await audited('run')).toEqual([undefined, { text: LONG }]);
      await journal.close();
    },
  );

  it.each([
    ['no list', 'text'],
    ['what is not there', ['/none']],
    ['a number', [1]],
  ])('cannot name %s as its places', async (_, named) => {
    const journal = await open(liar);
    await journal.append([said('run', { text: 'run/0/storeId', said: named })]);
    expect(await audited('run')).toEqual([undefined]);
    await journal.close();
  });

  verifies(
    'audit:reads-as-said',
    'cannot make a payload that fills memory of places that name each other',
    async () => {
      const journal = await open(liar);
      await journal.append([said('run', { part: { text: LONG } })]);
      for (let seq = 1; seq < 40; seq += 1)
        await journal.append([
          said('run', { part: { a: `run/${seq}/part`, b: `run/${seq}/part` }, said: ['/part/a', '/part/b'] }),
        ]);
      const sizes = (await audited('run')).map((it) => (it === undefined ? 0 : JSON.stringify(it).length));
      expect(Math.max(...sizes)).toBeLessThan(100_000_000);
      expect(sizes.at(-1)).toBe(0);
      await journal.close();
    },
  );
});
