/**
 * What the journal costs beside the bare disk, on one volume in one run.
 *
 *   npm run bench:journal [-- --directory DIR] [--seconds 5]
 *
 * Prints one line per figure with its target, then everything as one JSON object.
 *
 * Source: reliability-security 7, 1.
 */
import { execFile } from 'node:child_process';
import { hash, randomUUID } from 'node:crypto';
import { fdatasync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { z } from 'zod';
import type { Journal } from '@retainer/journal/journal';
import { defineStores, openJournal } from '@retainer/journal/open-journal';
import { verifyStore } from '@retainer/journal/verify';
import { systemClock } from '@retainer/contract/std/system-clock';
import { bySize } from './bench-size.ts';

const { values } = parseArgs({ options: { directory: { type: 'string' }, seconds: { type: 'string' } } });
const seconds = Number(values.seconds ?? bySize({ smoke: 1, full: 5 }));
const scratch = await mkdtemp(join(values.directory ?? tmpdir(), 'retainer-bench-journal-'));
const figures: Record<string, number> = {};

const stores = defineStores([
  {
    name: 'deeds',
    durability: 'durable',
    kinds: { Deed: { version: 1, schema: z.object({ n: z.int(), text: z.string() }) } },
  },
]);

const payloadText = 'x'.repeat(700);
const batch = 64;

function report(name: string, value: number, unit: string, target = ''): void {
  figures[name] = Math.round(value * 100) / 100;
  const shown = value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2);
  console.log(`${name.padEnd(44)} ${shown.padStart(12)} ${unit.padEnd(10)} ${target}`);
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function open(directory: string): Promise<Journal> {
  return openJournal({ directory, stores, agentUid: 'bench', clock: systemClock });
}

function record(n: number): { store: string; kind: string; principal: string; payload: { n: number; text: string } } {
  return { store: 'deeds', kind: 'Deed', principal: 'agent', payload: { n, text: payloadText } };
}

/** One line as a hand-written loop would make it. */
function handLine(n: number, prev: string): { readonly text: string; readonly digest: string } {
  const place = { store: 'deeds', seq: n, order: n, epoch: 1, batch: n, time: new Date().toISOString() };
  const body = JSON.stringify({ ...place, ...record(n), v: 1, prev });
  const digest = hash('sha256', body, 'hex');
  return { text: `${body.slice(0, -1)},"hash":"${digest}"}\n`, digest };
}

function untilSeconds(limit: number): () => boolean {
  const endMs = performance.now() + limit * 1000;
  return () => performance.now() < endMs;
}

function rawSync(): void {
  const fd = openSync(join(scratch, 'raw-1'), 'a');
  const bytes = Buffer.from(handLine(0, '0'.repeat(64)).text);
  const took: number[] = [];
  const goesOn = untilSeconds(seconds / 2);
  while (goesOn()) {
    const startMs = performance.now();
    writeSync(fd, bytes);
    fdatasyncSync(fd);
    took.push(performance.now() - startMs);
  }
  took.sort((a, b) => a - b);
  report('raw write + fdatasync, one at a time', took.length / (seconds / 2), 'records/s');
  report('raw write + fdatasync p99', quantile(took, 0.99), 'ms');
}

const syncAsync = promisify(fdatasync);
const run = promisify(execFile);

async function handLoop(name: string, line: (n: number) => string): Promise<void> {
  const fd = openSync(join(scratch, `hand-${randomUUID()}`), 'a');
  let count = 0;
  const goesOn = untilSeconds(seconds / 2);
  while (goesOn()) {
    let text = '';
    for (let index = 0; index < batch; index += 1) text += line(count + index);
    writeSync(fd, Buffer.from(text));
    await syncAsync(fd);
    count += batch;
  }
  report(name, count / (seconds / 2), 'records/s');
}

async function appenders(count: number): Promise<void> {
  const journal = await open(join(scratch, `appenders-${count}`));
  const took: number[] = [];
  const goesOn = untilSeconds(seconds);
  const worker = async (): Promise<void> => {
    while (goesOn()) {
      const startMs = performance.now();
      await journal.append([record(took.length)]);
      took.push(performance.now() - startMs);
    }
  };
  await Promise.all(Array.from({ length: count }, worker));
  await journal.close();
  took.sort((a, b) => a - b);
  const target = count === 1 ? '' : 'target >= 20,000';
  report(`journal, ${count} appender${count === 1 ? '' : 's'}`, took.length / seconds, 'records/s', target);
  report(
    `journal, ${count} appender${count === 1 ? '' : 's'}, p99`,
    quantile(took, 0.99),
    'ms',
    count === 1 ? '' : 'target <= 10',
  );
}

/** A million records are one gigabyte. */
const records = bySize({ smoke: 20_000, full: 1_000_000 });

/** Writes them; then opens, verifies and folds them. */
async function largeStore(): Promise<void> {
  const directory = join(scratch, 'large');
  const journal = await open(directory);
  const startMs = performance.now();
  for (let n = 0; n < records; n += 1000)
    await journal.append(Array.from({ length: 1000 }, (_, index) => record(n + index)));
  report('journal, thousand per append', (records / (performance.now() - startMs)) * 1000, 'records/s');
  await journal.close();
  const openMs: number[] = [];
  for (let turn = 0; turn < 9; turn += 1) {
    const openStartMs = performance.now();
    const reopened = await open(directory);
    openMs.push(performance.now() - openStartMs);
    await reopened.close();
  }
  openMs.sort((a, b) => a - b);
  report(
    `open ${records.toLocaleString('en')} records from checkpoint, p50`,
    quantile(openMs, 0.5),
    'ms',
    'target <= 200',
  );
  report(
    `open ${records.toLocaleString('en')} records from checkpoint, max`,
    quantile(openMs, 1),
    'ms',
    'target <= 200',
  );
  const verifyStart = process.cpuUsage();
  const verify = verifyStore({ directory, store: 'deeds' });
  let step = await verify.next();
  while (step.done !== true) step = await verify.next();
  const megabytes = step.value.bytes / 1e6;
  // By processor time: what one core does, whatever else the machine is busy with.
  const { user, system } = process.cpuUsage(verifyStart);
  report('verify, per core', megabytes / ((user + system) / 1e6), 'MB/s', 'target >= 150');
  await foldAll(directory, megabytes);
}

/** In a process of its own, from the built files: nothing else is in its memory. */
const foldScript = `
  import { openJournalReader } from '@retainer/journal/open-reader';
  const clock = { nowMs: Date.now, monotonicMs: () => performance.now(), sleep: async () => undefined };
  const journal = await openJournalReader({ directory: process.argv[1], clock });
  let [peakBytes, sum, seen] = [0, 0, 0];
  const startMs = performance.now();
  for await (const { payload, kind } of journal.read('deeds')) {
    if (kind === 'Deed') sum += payload.n;
    seen += 1;
    if (seen % 2000 === 0) peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
  }
  console.log(JSON.stringify({ peakBytes, sum, tookMs: performance.now() - startMs }));
`;

async function foldAll(directory: string, megabytes: number): Promise<void> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', foldScript, directory]);
  const { peakBytes, sum, tookMs } = JSON.parse(stdout) as { peakBytes: number; sum: number; tookMs: number };
  report(`fold ${Math.round(megabytes)} MB`, megabytes / (tookMs / 1000), 'MB/s');
  report('fold, peak resident memory', peakBytes / 1e6, 'MB', 'target <= 150');
  if (sum !== (records * (records - 1)) / 2) throw new Error(`the fold saw other records: ${sum}`);
}

try {
  if (values.directory !== undefined) console.log(`volume of ${values.directory}`);
  const ready = handLine(0, '0'.repeat(64)).text;
  rawSync();
  await handLoop('batch-64 loop, bytes ready', () => ready);
  let prev = '0'.repeat(64);
  await handLoop('batch-64 loop, serialises and hashes', (n) => {
    const line = handLine(n, prev);
    prev = line.digest;
    return line.text;
  });
  await appenders(1);
  await appenders(64);
  const ratio = (figures['journal, 64 appenders'] ?? 0) / (figures['batch-64 loop, serialises and hashes'] ?? 1);
  report('64 appenders / loop that serialises, hashes', ratio, '', 'target >= 0.6');
  await largeStore();
  console.log(JSON.stringify(figures));
} finally {
  await rm(scratch, { recursive: true, force: true });
}
