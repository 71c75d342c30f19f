/**
 * What the second copy of a record costs: a month of 100 MB, committed after each run, beside the same record gzipped, and beside
 * what `git add` and `git commit` take for the same files; and what it costs while nothing happens.
 *
 *   npm run bench:git [-- --megabytes 100] [--runs-per-day 30] [--directory DIR]
 *
 * The record is that of the golden runs, over and over, with other words in its texts: repeated as it is, git would find every run
 * in an earlier one.
 *
 * Both sync all that they write. The files of the reference are those of the newest commit, so it adds the same bytes.
 *
 * Source: reliability-security 7 (git copy is sound); the goal is 1.5 × the gzipped journal.
 */
import { execFileSync } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import { Seeded } from '@retainer/agent-pod/attack/seeded';
import { Backup } from '@retainer/agent-pod/backup/backup';
import { readRepository } from '@retainer/agent-pod/backup/repository';
import { restore } from '@retainer/agent-pod/backup/restore';
import type { Json } from '@retainer/contract/std/canonical-json';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { JournalRecord, NewRecord } from '@retainer/journal/journal';
import { defineStores, openJournal } from '@retainer/journal/open-journal';
import { openJournalReader } from '@retainer/journal/open-reader';
import { verifyJournal } from '@retainer/journal/verify';
import { goldenRunNames, unpackGoldenRun } from '../test/support/golden-runs.ts';
import { repositoryRoot } from '../test/support/repository-files.ts';
import { bySize } from './bench-size.ts';
import { quantile, row } from './figures.ts';

const { values } = parseArgs({
  options: { megabytes: { type: 'string' }, 'runs-per-day': { type: 'string' }, directory: { type: 'string' } },
});
const wantedBytes = Number(values.megabytes ?? bySize({ smoke: 4, full: 100 })) * 1_000_000;
const runsPerDay = Number(values['runs-per-day'] ?? bySize({ smoke: 2, full: 30 }));

const DAYS = 30;
const DAY_MS = 86_400_000;
const BEGAN_MS = Date.UTC(2026, 0, 1);
/** One word of so many is another one in each run. */
const CHANGED_EVERY = 3;
const GOAL_RATIO = 1.5;
const GOAL_COMMIT_MS = 300;
/** A day of the usual interval. */
const IDLE_INTERVALS = bySize({ smoke: 20, full: 288 });
const SETTLING_INTERVALS = 20;

type Run = readonly JournalRecord[];

const random = new Seeded(1);
const root = await mkdtemp(join(values.directory ?? tmpdir(), 'retainer-bench-git-'));
try {
  await measure();
} finally {
  await rm(root, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  const runs = await goldenRuns();
  const words = await vocabulary();
  const dataDirectory = join(root, 'data');
  let nowMs = BEGAN_MS;
  const clock = { ...systemClock, nowMs: () => nowMs };
  const stores = storesOf(runs.flat());
  const directory = join(dataDirectory, 'journal');
  const journal = await openJournal({ directory, stores, agentUid: 'bench/month', clock, limits: { ballastBytes: 0 } });
  const backup = new Backup({ dataDirectory, holdsSecret: () => false, clock });
  const commitMs: number[] = [];
  const referenceMs: number[] = [];
  const reference = await newReference(dataDirectory);
  const total = DAYS * runsPerDay;
  for (let index = 0; index < total; index += 1) {
    nowMs = BEGAN_MS + Math.floor((index / total) * DAYS * DAY_MS);
    const untilBytes = (wantedBytes * (index + 1)) / total;
    while ((await sizesBelow(directory)) < untilBytes) {
      const run = runs[random.below(runs.length)] ?? [];
      for (const group of groups(run)) await journal.append(group.map((record) => changed(record, index, words)));
    }
    const startMs = performance.now();
    const { isNew } = await backup.commit();
    const tookMs = performance.now() - startMs;
    // The run before may have been so long that there is nothing new.
    if (!isNew) continue;
    commitMs.push(tookMs);
    referenceMs.push(reference());
  }
  await journal.close();
  await backup.commit();
  await tell(dataDirectory, commitMs, referenceMs);
  await tellIdle(() => backup.commit());
}

/** @returns adds and commits, with git alone, the files that the newest commit has; milliseconds */
async function newReference(dataDirectory: string): Promise<() => number> {
  const place = join(root, 'reference');
  await mkdir(place);
  const env = { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  const git = (more: Readonly<Record<string, string>>, ...args: readonly string[]): void =>
    void execFileSync('git', args, { cwd: place, env: { ...env, ...more }, stdio: ['ignore', 'ignore', 'inherit'] });
  const own = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a' };
  git({}, 'init', '--quiet');
  for (const setting of ['core.fsync all', 'core.fsyncMethod fsync', 'gc.auto 0', 'maintenance.auto false'])
    git({}, 'config', ...setting.split(' '));
  const copied = {
    GIT_DIR: join(dataDirectory, 'git'),
    GIT_INDEX_FILE: join(root, 'reference.index'),
    GIT_WORK_TREE: place,
  };
  return () => {
    git(copied, 'read-tree', '--reset', '-u', 'main');
    const startMs = performance.now();
    git({}, 'add', '--all');
    git(own, 'commit', '--quiet', '--message', 'reference');
    return performance.now() - startMs;
  };
}

async function tellIdle(commit: () => Promise<unknown>): Promise<void> {
  for (let interval = 0; interval < SETTLING_INTERVALS; interval += 1) await commit();
  let started = 0;
  subscribe('child_process', () => (started += 1));
  const beforeBytes = process.memoryUsage.rss();
  const startMs = performance.now();
  for (let interval = 0; interval < IDLE_INTERVALS; interval += 1) await commit();
  const tookMs = (performance.now() - startMs) / IDLE_INTERVALS;
  const grownBytes = process.memoryUsage.rss() - beforeBytes;
  const memory = `resident memory ${megabytes(beforeBytes)}, ${megabytes(grownBytes)} more afterwards`;
  row('an interval in which nothing happened', `${tookMs.toFixed(1)} ms`, `${IDLE_INTERVALS} of them; ${memory}`);
  row('processes started in them', String(started), 'goal 0');
  if (started > 0) process.exitCode = 1;
}

async function tell(dataDirectory: string, commitMs: readonly number[], referenceMs: readonly number[]): Promise<void> {
  const journalBytes = await sizesBelow(join(dataDirectory, 'journal'));
  const gzipped = await gzippedBytes(join(dataDirectory, 'journal'));
  const repositoryBytes = await sizesBelow(join(dataDirectory, 'git'));
  const ratio = repositoryBytes / gzipped;
  const at = (share: number, of = commitMs): string => `${quantile(of, share).toFixed(0)} ms`;
  row('journal of a month', megabytes(journalBytes), `${commitMs.length} commits`);
  row('the same, gzipped', megabytes(gzipped), 'each segment for itself, level 6; blobs as they are');
  row('repository', megabytes(repositoryBytes), `${ratio.toFixed(2)} × gzipped; goal ≤ ${GOAL_RATIO}`);
  row('restored and verified', `${await restoreMs(dataDirectory)} ms`, 'goal ≤ 60 s for 200 MB');
  row('commit, p50', at(0.5), `p99 ${at(0.99)}, with the repacks; goal ≤ ${GOAL_COMMIT_MS} ms`);
  row('git add and git commit of the same, p50', at(0.5, referenceMs), `p99 ${at(0.99, referenceMs)}`);
  console.log(JSON.stringify({ journalBytes, gzippedBytes: gzipped, repositoryBytes, ratio }));
  // On a machine that others use as well, git alone is slow, too.
  const isSlow = quantile(commitMs, 0.5) > Math.max(GOAL_COMMIT_MS, quantile(referenceMs, 0.5));
  if (ratio > GOAL_RATIO || isSlow) process.exitCode = 1;
}

async function restoreMs(dataDirectory: string): Promise<string> {
  const startMs = performance.now();
  const repository = await readRepository(join(dataDirectory, 'git'));
  if (repository?.head === undefined) throw new Error('there is no commit');
  const isGood = async (directory: string): Promise<boolean> => {
    for await (const fault of verifyJournal({ directory: join(directory, 'journal'), blobs: true }))
      throw new Error(fault.message);
    return true;
  };
  await restore({ repository, commit: repository.head, to: join(root, 'restored'), isGood });
  return (performance.now() - startMs).toFixed(0);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

async function goldenRuns(): Promise<readonly Run[]> {
  const runs: Run[] = [];
  for (const name of await goldenRunNames()) {
    const data = await unpackGoldenRun(name, root);
    const reader = await openJournalReader({ directory: join(data, 'journal'), clock: systemClock });
    const records: JournalRecord[] = [];
    for await (const record of reader.readAll(reader.stores.filter((store) => store !== 'system')))
      if (record.principal !== 'journal') records.push(record);
    runs.push(records);
  }
  return runs;
}

function storesOf(records: readonly JournalRecord[]): ReturnType<typeof defineStores> {
  const kinds = new Map<string, Record<string, { version: number; schema: z.ZodType }>>();
  for (const { store, kind } of records) {
    const known = kinds.get(store) ?? {};
    kinds.set(store, known);
    known[kind] = { version: 1, schema: z.json() };
  }
  return defineStores([...kinds].map(([name, of]) => ({ name, durability: 'durable' as const, kinds: of })));
}

/** Records of one store that follow each other share an append. */
function groups(run: Run): readonly Run[] {
  const found: JournalRecord[][] = [];
  for (const record of run) {
    const last = found.at(-1);
    if (last?.[0]?.store === record.store) last.push(record);
    else found.push([record]);
  }
  return found;
}

function changed(
  { store, kind, principal, payload, runId }: JournalRecord,
  index: number,
  words: readonly string[],
): NewRecord {
  const fresh = { store, kind, principal, payload: reworded(payload, words) };
  return runId === undefined ? fresh : { ...fresh, runId: `${runId}-${index}` };
}

function reworded(value: Json, words: readonly string[]): Json {
  if (typeof value === 'string') return rewordedText(value, words);
  if (Array.isArray(value)) return value.map((each: Json) => reworded(each, words));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, reworded(each, words)]));
}

/** Names and ids, which have no spaces, stay. */
function rewordedText(text: string, words: readonly string[]): string {
  if (!text.includes(' ')) return text;
  return text.replaceAll(/[A-Za-z]{3,}/g, (word) =>
    random.below(CHANGED_EVERY) === 0 ? (words[random.below(words.length)] ?? word) : word,
  );
}

/** All words of the documentation. */
async function vocabulary(): Promise<readonly string[]> {
  const pages = (await readdir(join(repositoryRoot, 'docs'))).filter((name) => name.endsWith('.md'));
  const texts = await Promise.all(pages.map((name) => readFile(join(repositoryRoot, 'docs', name), 'utf8')));
  return [...new Set<string>(texts.join(' ').match(/[A-Za-z]{3,}/g) ?? [])].toSorted();
}

async function filesBelow(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

async function sizesBelow(directory: string): Promise<number> {
  let bytes = 0;
  for (const file of await filesBelow(directory)) bytes += (await stat(file)).size;
  return bytes;
}

async function gzippedBytes(directory: string): Promise<number> {
  let bytes = 0;
  for (const file of await filesBelow(directory)) {
    const content = await readFile(file);
    bytes += file.endsWith('.gz') ? content.length : gzipSync(content).length;
  }
  return bytes;
}
