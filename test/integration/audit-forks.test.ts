/**
 * Row 6: a thousand random forks (300 in a check) of a real journal, compared with the heads that a real auditor process kept.
 *
 * The journal grows in stages; after each, the auditor's process keeps the heads. Each fork then changes something older than
 * the last head, with a chain that is right in itself. Most forks are judged in this process, some by the auditor's own.
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Auditor, type HeadRecordPort } from '@retainer/agent-pod/audit/auditor';
import { isAlarm } from '@retainer/agent-pod/audit/finding';
import { openHeadRecord } from '@retainer/agent-pod/audit/head-record';
import { openSigningKey } from '@retainer/agent-pod/audit/signing-key';
import { LOOK_EVERY_MS_MAX } from '@retainer/agent-pod/audit/store-watch';
import type { Head } from '@retainer/journal/journal';
import { systemClock } from '@retainer/contract/std/system-clock';
import { manualClock } from '../support/manual-clock.ts';
import { cutTail, note, openSampleJournal, rewriteSuffix } from '../support/sample-journal.ts';
import { testSeed } from '../support/seed.ts';
import { Seeded } from '../support/seeded.ts';
import { bySize } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';

const forksWanted = bySize({ check: 100, nightly: 1_000 });
const forksByProcess = 30;
const processesAtOnce = 2;
const stages = 5;
const seed = testSeed;
const program = fileURLToPath(new URL('../../agent-pod/dist/auditor-main.js', import.meta.url));
/** In memory where there is such a place: a thousand copies are made and deleted. */
const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
/** Small segments: a fork is copied and walked a thousand times. */
const limits = { segmentBytes: 40_000 };

let root: string;
let journalDirectory: string;
let ownDirectory: string;
let heads: ReadonlyMap<string, readonly Head[]>;

const path = (...names: readonly string[]): string => join(root, ...names);

beforeAll(async () => {
  console.info(`audit-forks: RETAINER_SEED=${seed}`);
  root = mkdtempSync(join(place, 'audit-forks-'));
  journalDirectory = path('journal');
  ownDirectory = path('own');
  for (let stage = 0; stage < stages; stage += 1) {
    await grow(30);
    cpSync(journalDirectory, path(`stage-${stage}`), { recursive: true });
    const { code } = await runAuditor(journalDirectory, ownDirectory);
    expect(code).toBe(0);
  }
  // Newer than every head.
  await grow(10);
  const record = await openHeadRecord({
    directory: join(ownDirectory, 'record'),
    key: await openSigningKey(join(ownDirectory, 'key.pem')),
    clock: systemClock,
  });
  heads = new Map(record.heads);
  await record.close();
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

async function grow(records: number): Promise<void> {
  const journal = await openSampleJournal(journalDirectory, systemClock, limits);
  const batch = (store: 'alpha' | 'beta') =>
    journal.append(Array.from({ length: records }, (_, at) => note(store, at)));
  await Promise.all([batch('alpha'), batch('beta')]);
  await batch('alpha');
  await journal.close();
}

function runAuditor(journal: string, own: string): Promise<{ readonly code: number | null; readonly lines: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, '--journal', journal, '--own', own, '--once'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let lines = '';
    child.stdout.on('data', (chunk: Buffer) => (lines += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, lines }));
  });
}

const lastHead = (store: string): number => heads.get(store)?.at(-1)?.seq ?? 0;

interface Fork {
  readonly name: string;
  readonly make: (directory: string) => void;
}

const kinds: readonly ((random: Seeded, store: string) => Fork)[] = [
  (random, store) => {
    const seq = 1 + random.below(lastHead(store));
    return { name: `rewrite ${store} from ${seq}`, make: (directory) => rewriteSuffix(directory, store, seq) };
  },
  (random, store) => {
    const seq = random.below(lastHead(store) + 1);
    return { name: `cut ${store} at ${seq}`, make: (directory) => cutTail(directory, store, seq) };
  },
  (random) => {
    const stage = random.below(stages - 1);
    return { name: `restore stage ${stage}`, make: (directory) => replaceBy(directory, `stage-${stage}`) };
  },
  (random, store) => {
    const stage = random.below(stages - 1);
    return {
      name: `restore ${store} of stage ${stage} alone`,
      make: (directory) => replaceBy(join(directory, store), join(`stage-${stage}`, store)),
    };
  },
];

function replaceBy(directory: string, older: string): void {
  rmSync(directory, { recursive: true });
  cpSync(path(older), directory, { recursive: true });
}

function randomFork(random: Seeded): Fork {
  const store = ['alpha', 'beta'][random.below(2)] ?? 'alpha';
  const kind = kinds[random.below(kinds.length)];
  if (kind === undefined) throw new Error('no kind of fork');
  return kind(random, store);
}

async function inFork<T>(fork: Fork, name: string, judge: (directory: string) => Promise<T>): Promise<T> {
  const directory = path(name);
  cpSync(journalDirectory, directory, { recursive: true });
  try {
    fork.make(directory);
    return await judge(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Alarms of an auditor that has the kept heads. */
async function alarmsIn(directory: string): Promise<readonly string[]> {
  const record: HeadRecordPort = { heads, keepHeads: () => Promise.resolve(), tell: () => Promise.resolve() };
  const { open } = await new Auditor({ directory, record, clock: systemClock, once: true }).look();
  return open.filter(isAlarm).map(({ kind }) => kind);
}

describe('tampering by the writer', () => {
  verifies('audit:forks-detected', `is evident: ${forksWanted} random forks older than the last head`, async () => {
    const random = new Seeded(seed);
    const missed: string[] = [];
    const startMs = performance.now();
    for (let fork = forksByProcess; fork < forksWanted; fork += 1) {
      const forked = randomFork(random);
      const alarms = await inFork(forked, 'fork', alarmsIn);
      if (alarms.length === 0) missed.push(forked.name);
    }
    console.info(`audit-forks: ${forksWanted - forksByProcess} forks in ${Math.round(performance.now() - startMs)} ms`);
    expect(missed).toEqual([]);
  });

  it('is evident to the process itself', async () => {
    const random = new Seeded(seed + 1);
    const forks = Array.from({ length: forksByProcess }, (_, index) => ({ index, fork: randomFork(random) }));
    const missed: string[] = [];
    const work = async (): Promise<void> => {
      for (let next = forks.pop(); next !== undefined; next = forks.pop()) {
        const { index, fork } = next;
        const own = path(`own-${index}`);
        cpSync(ownDirectory, own, { recursive: true });
        const { code, lines } = await inFork(fork, `fork-${index}`, (directory) => runAuditor(directory, own));
        if (code !== 3 || !lines.includes('"level":"error"')) missed.push(`${fork.name}: exit ${code}`);
      }
    };
    await Promise.all(Array.from({ length: processesAtOnce }, work));
    expect(missed).toEqual([]);
  });

  it('is not cried over what the writer rightly did', async () => {
    expect(await inFork({ name: 'none', make: () => undefined }, 'same', alarmsIn)).toEqual([]);
    const newer = lastHead('alpha') + 1;
    for (const make of [rewriteSuffix, cutTail]) {
      const fork: Fork = { name: 'newer than the last head', make: (directory) => make(directory, 'alpha', newer) };
      expect(await inFork(fork, 'newer', alarmsIn)).toEqual([]);
    }
  });

  it('is seen while it happens, by the process that follows', async () => {
    const own = path('own-follow');
    const metricsFile = path('follow.prom');
    const directory = path('follow');
    cpSync(journalDirectory, directory, { recursive: true });
    const child = spawn(
      process.execPath,
      [program, '--journal', directory, '--own', own, '--look-seconds', '1', '--metrics-file', metricsFile],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let lines = '';
    child.stdout.on('data', (chunk: Buffer) => (lines += chunk.toString()));
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const isKept = (): boolean =>
      Number(/kept_seq\{store="alpha"\} (-?\d+)/.exec(readText(metricsFile))?.[1]) >= lastHead('alpha');
    try {
      await until(isKept);
      const startMs = performance.now();
      rewriteSuffix(directory, 'alpha', 20);
      await until(() => lines.includes('SuffixRewritten'));
      console.info(`audit-forks: seen by the following process after ${Math.round(performance.now() - startMs)} ms`);
      child.kill('SIGTERM');
      expect(await ended).toBe(0);
    } finally {
      child.kill('SIGKILL');
    }
  });
});

describe('the head lag', () => {
  it('stays within 60 s and 1,000 records of a real journal, in virtual time', async () => {
    const random = new Seeded(seed + 2);
    const clock = manualClock();
    const directory = path('lag');
    const kept = new Map<string, readonly Head[]>();
    const record: HeadRecordPort = {
      heads: kept,
      keepHeads: (more) => Promise.resolve(more.forEach((head) => kept.set(head.store, [head]))),
      tell: () => Promise.resolve(),
    };
    const auditor = new Auditor({ directory, record, clock });
    const journal = await openSampleJournal(directory, clock);
    const writtenAtMs: number[] = [clock.monotonicMs()];
    let lagMsMax = 0;
    let lagRecordsMax = 0;
    for (let look = 0; look < 100; look += 1) {
      const records = look % 10 === 0 ? 1_500 : random.below(5);
      if (records > 0) await journal.append(Array.from({ length: records }, (_, at) => note('alpha', at, '')));
      for (let at = 0; at < records; at += 1) writtenAtMs.push(clock.monotonicMs());
      clock.advance(1 + random.below(LOOK_EVERY_MS_MAX));
      const { open } = await auditor.look();
      expect(open).toEqual([]);
      const keptSeq = kept.get('alpha')?.at(-1)?.seq ?? -1;
      lagMsMax = Math.max(lagMsMax, clock.monotonicMs() - (writtenAtMs[keptSeq + 1] ?? clock.monotonicMs()));
      const settledAt = writtenAtMs.findLastIndex((atMs) => clock.monotonicMs() - atMs > 2 * LOOK_EVERY_MS_MAX);
      lagRecordsMax = Math.max(lagRecordsMax, settledAt - keptSeq);
    }
    await journal.close();
    console.info(`audit-forks: head lag at most ${lagMsMax} ms, ${lagRecordsMax} records`);
    expect(lagMsMax).toBeLessThanOrEqual(60_000);
    expect(lagRecordsMax).toBeLessThanOrEqual(1_000);
  });
});

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The condition itself is what is waited for; the test's own time limit ends a wait in vain. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await systemClock.sleep(50);
}
