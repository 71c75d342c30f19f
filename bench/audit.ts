/**
 * What `retainer audit` costs on a large record: `npm run bench:audit [-- --megabytes 100]`.
 *
 * The record is that of the recorded examples, written again under other run ids until its lines are so large: the mix of stores and
 * kinds is that of real runs. Beside the views stands what no view can do without: the lines read with their hashes checked.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { JournalReader, JournalRecord } from '@retainer/journal/journal';
import { openJournal } from '@retainer/journal/open-journal';
import { segmentSizes } from '@retainer/journal/segment-sizes';
import { mapRecord } from '@retainer/agent-pod/review/audit-map';
import { searchRecord } from '@retainer/agent-pod/review/audit-search';
import { summarizeRecord } from '@retainer/agent-pod/review/audit-summary';
import { openRecords } from '@retainer/agent-pod/review/run-records';
import { agentStores } from '@retainer/agent-pod/loop/stores';
import { unpackGoldenRun } from '../test/support/golden-runs.ts';
import { noLock } from '../test/support/journal/no-lock.ts';
import { bySize } from './bench-size.ts';
import { quantile, row } from './figures.ts';

const { values } = parseArgs({ options: { megabytes: { type: 'string' } } });
const BYTES = Number(values.megabytes ?? bySize({ smoke: 4, full: 100 })) * 1_000_000;
const ROUNDS = bySize({ smoke: 2, full: 5 });
/** A run of the examples has some fifty records: one append for each store and run. */
const STORES = ['agent', 'inbox', 'run', 'cycle'] as const;

const root = await mkdtemp(join(tmpdir(), 'retainer-bench-audit-'));
try {
  const data = join(root, 'data');
  await writeRecord(await openRecords(await unpackGoldenRun('examples', root)), data);
  const sizes = await segmentSizes(join(data, 'journal'));
  const bytes = sizes.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  row('the record', `${(bytes / 1_000_000).toFixed(0)} MB`, `in ${sizes.length} segments`);
  await time('lines read, hashes checked', 'reference', async () => {
    const reader = await openRecords(data);
    for (const store of reader.stores) for await (const _ of reader.read(store));
  });
  await time('audit summary', 'goal 3000 ms for 100 MB', () => summarizeRecord(data, {}));
  await time('audit map', '', async () => mapRecord(await openRecords(data)));
  await time('audit search, nothing found', '', async () =>
    searchRecord(await openRecords(data), { text: 'no such words', limit: 1 }),
  );
  row('memory at the end', `${(process.memoryUsage().rss / 1024 / 1024).toFixed(0)} MiB`, '');
} finally {
  await rm(root, { recursive: true, force: true });
}

async function writeRecord(reader: JournalReader, data: string): Promise<void> {
  const records: JournalRecord[] = [];
  for await (const record of reader.readAll(STORES)) if (record.kind !== 'StoreOpened') records.push(record);
  const directory = join(data, 'journal');
  const limits = { ballastBytes: 0 };
  const journal = await openJournal({
    directory,
    stores: agentStores,
    agentUid: 'bench',
    clock: systemClock,
    lock: noLock,
    limits,
  });
  const roundBytes = Buffer.byteLength(JSON.stringify(records));
  for (let written = 0; written < BYTES; written += roundBytes)
    for (const store of STORES)
      await journal.append(
        records
          .filter((it) => it.store === store)
          .map(({ kind, principal, payload, runId, cycleId, timeMs }) => ({
            store,
            kind,
            principal,
            payload,
            timeMs,
            ...(runId === undefined ? {} : { runId: `${runId}-${written}` }),
            ...(cycleId === undefined ? {} : { cycleId: `${cycleId}-${written}` }),
          })),
      );
  await journal.close();
}

async function time(name: string, goal: string, work: () => Promise<unknown>): Promise<void> {
  const taken: number[] = [];
  const busy: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    taken.push(performance.now() - start);
    busy.push((user + system) / 1000);
  }
  const processor = `${quantile(busy, 0.5).toFixed(0)} ms of processor`;
  row(name, `${quantile(taken, 0.5).toFixed(0)} ms`, goal === '' ? processor : `${processor}; ${goal}`);
}
