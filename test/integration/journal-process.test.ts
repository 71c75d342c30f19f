import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Journal } from '@retainer/journal/journal';
import { defineStores, openJournal, type OpenJournalOptions } from '@retainer/journal/open-journal';
import { verifyJournal } from '@retainer/journal/verify';
import { systemClock } from '@retainer/contract/std/system-clock';
import { JournalProcess } from '../chaos/journal-process.ts';
import { randomOf } from '../chaos/journal-simulation.ts';
import { bySize, limitMs } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';

const stores = defineStores([
  {
    name: 'deeds',
    durability: 'durable',
    kinds: { Deed: { version: 1, schema: z.object({ n: z.int(), text: z.string() }) } },
  },
]);

const killLoops = bySize({ check: 20, nightly: 300 });
/** In so many a process that acknowledges what it has not appended must be found. */
const mutantLoops = 20;
const lanes = 3;
const starters = 8;
const rounds = bySize({ check: 15, nightly: 50 });
const straceRuns = bySize({ check: 10, nightly: 40 });

let scratch = '';
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'retainer-journal-'));
});
afterAll(async () => {
  await rm(scratch, { recursive: true, force: true });
});

function open(directory: string, changes: Partial<OpenJournalOptions> = {}): Promise<Journal> {
  const limits = { ballastBytes: 65_536 };
  return openJournal({ directory, stores, agentUid: 'agent-1', clock: systemClock, limits, ...changes });
}

/** Opens after a death. How long that took, and the sequence of each record by its number. */
async function readBack(directory: string, fromSeq: number): Promise<{ tookMs: number; found: Map<number, number> }> {
  const startMs = performance.now();
  const journal = await open(directory);
  const tookMs = performance.now() - startMs;
  expect([journal.mode, journal.modeReason]).toEqual(['Writable', undefined]);
  const found = new Map<number, number>();
  for await (const { seq, payload, kind } of journal.read('deeds', { fromSeq }))
    if (kind === 'Deed') found.set((payload as { n: number }).n, seq);
  await journal.close();
  return { tookMs, found };
}

/** Opens after a death and looks for everything that was acknowledged; how long the opening took. */
async function reopen(directory: string, acknowledged: ReadonlyMap<number, number>): Promise<number> {
  const fromSeq = Math.min(...acknowledged.values(), Number.MAX_SAFE_INTEGER);
  const { tookMs, found } = await readBack(directory, fromSeq);
  for (const [n, seq] of acknowledged) expect(found.get(n), `acknowledged record ${n}`).toBe(seq);
  return tookMs;
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
}

/** A new one every ten deaths: what is read back is then little. */
function killedDirectory(lane: number, loop: number): string {
  return join(scratch, `kill-${lane}-${Math.floor(loop / 10)}`);
}

/** Kills a process that appends, at a random moment. What it said that it had appended. */
async function killAppending(
  directory: string,
  command: 'append' | 'append-early',
  loop: number,
  random: () => number,
): Promise<ReadonlyMap<number, number>> {
  const child = new JournalProcess([directory, command, String(loop * 1_000_000), '1000000']);
  await child.line(['ready']);
  await systemClock.sleep(5 + Math.floor(random() * 195));
  await child.kill();
  return child.acknowledged();
}

async function killLane(lane: number, loops: number): Promise<{ openMs: number[]; acknowledged: number }> {
  const random = randomOf(lane + 1);
  const openMs: number[] = [];
  let acknowledged = 0;
  for (let loop = 0; loop < loops; loop += 1) {
    const directory = killedDirectory(lane, loop);
    const said = await killAppending(directory, 'append', loop, random);
    acknowledged += said.size;
    openMs.push(await reopen(directory, said));
  }
  return { openMs, acknowledged };
}

describe('a journal in a process that is killed', () => {
  verifies(
    'journal:survives-kill',
    `loses nothing acknowledged in ${killLoops} loops`,
    async () => {
      const startMs = performance.now();
      const done = await Promise.all(Array.from({ length: lanes }, (_, lane) => killLane(lane, killLoops / lanes)));
      const openMs = done.flatMap((lane) => lane.openMs);
      const acknowledged = done.reduce((sum, lane) => sum + lane.acknowledged, 0);
      expect(acknowledged).toBeGreaterThan(killLoops);
      const loops = Array.from({ length: killLoops }, (_, index) => index);
      const directories = new Set(loops.map((index) => killedDirectory(index % lanes, Math.floor(index / lanes))));
      for (const directory of directories)
        for await (const fault of verifyJournal({ directory })) expect(fault).toBeUndefined();
      const seconds = Math.round((performance.now() - startMs) / 1000);
      process.stdout.write(
        `${killLoops} kills, ${acknowledged} acknowledged, opening p50 ${quantile(openMs, 0.5).toFixed(0)} ms, ` +
          `p99 ${quantile(openMs, 0.99).toFixed(0)} ms, ${seconds} s\n`,
      );
    },
    limitMs(600_000, 5),
  );

  it(`is found to lose records in ${mutantLoops} loops where it acknowledges what it has not appended`, async () => {
    const random = randomOf(0);
    let lost = 0;
    for (let loop = 0; loop < mutantLoops && lost === 0; loop += 1) {
      const directory = join(scratch, `early-${loop}`);
      const said = await killAppending(directory, 'append-early', loop, random);
      const { found } = await readBack(directory, 0);
      lost = [...said.keys()].filter((n) => !found.has(n)).length;
    }
    expect(lost).toBeGreaterThan(0);
  });
});

describe('one writer', () => {
  verifies('journal:one-writer', `of ${starters} starters in each of ${rounds} rounds`, async () => {
    const directory = join(scratch, 'one-writer');
    const start = (): JournalProcess => new JournalProcess([directory, 'obey']);
    const processes = Array.from({ length: starters }, start);
    await Promise.all(processes.map((starter) => starter.line(['here'])));
    let epoch = 0;
    for (let round = 0; round < rounds; round += 1) {
      const from = processes.map(({ lines }) => lines.length);
      for (const starter of processes) starter.tell('try');
      const said = await Promise.all(
        processes.map((starter, index) => starter.line(['writer', 'held', 'failed'], from[index])),
      );
      const winners = processes.filter((_, index) => said[index]?.startsWith('writer'));
      expect(winners).toHaveLength(1);
      expect(said.filter((line) => line.startsWith('held'))).toHaveLength(starters - 1);
      const [winner] = winners;
      if (winner === undefined) break;
      const won = Number((said.find((line) => line.startsWith('writer')) ?? '').split(' ')[1]);
      expect(won).toBe(epoch + 1);
      epoch = won;
      // Every fifth holder dies instead of closing: the kernel frees its lock.
      if (round % 5 === 4) {
        await winner.kill();
        processes[processes.indexOf(winner)] = start();
        await processes[processes.length - 1]?.line(['here']);
        await Promise.all(processes.map((starter) => starter.line(['here'])));
      } else {
        const at = winner.lines.length;
        winner.tell('close');
        await winner.line(['closed'], at);
      }
    }
    for (const starter of processes) await starter.kill();
  });

  it('accepts no record of a stale epoch after a takeover', async () => {
    const directory = join(scratch, 'stale');
    const copy = join(scratch, 'takeover');
    const holder = new JournalProcess([directory, 'obey']);
    await holder.line(['here']);
    holder.tell('try');
    await holder.line(['writer 1']);
    holder.tell('append 1');
    await holder.line(['ack 1 ']);
    holder.child.kill('SIGSTOP');
    await cp(directory, copy, { recursive: true });
    const successor = await open(copy);
    expect(successor.epoch).toBe(2);
    await successor.append([{ store: 'deeds', kind: 'Deed', principal: 'agent', payload: { n: 2, text: '' } }]);
    const heads = successor.heads();
    await successor.close();
    holder.child.kill('SIGCONT');
    holder.tell('append 3');
    await holder.line(['ack 3 ']);
    await holder.kill();
    await expect(open(directory, { knownHeads: heads })).rejects.toMatchObject({ reason: 'Rollback' });
    const stale = (await readFile(await segment(directory), 'utf8')).trimEnd().split('\n').at(-1);
    await appendFile(await segment(copy), `${stale}\n`);
    await expect(open(copy)).rejects.toMatchObject({ reason: 'SplitBrain' });
    await expect(open(copy, { epoch: 1 })).rejects.toMatchObject({ reason: 'SplitBrain' });
  });
});

async function segment(directory: string): Promise<string> {
  const names = (await readdir(join(directory, 'deeds'))).toSorted();
  return join(directory, 'deeds', names.at(-1) ?? '');
}

const hasStrace = spawnSync('strace', ['-V']).status === 0;

describe.skipIf(!hasStrace)('the real binary under injected errors', () => {
  verifies('journal:every-io-error-handled', `ends well or declares it, ${straceRuns} times`, async () => {
    const calls = ['fdatasync', 'write', 'openat', 'fsync'];
    const codes = ['EIO', 'ENOSPC', 'EDQUOT', 'EROFS'];
    const outcomes = { well: 0, declared: 0 };
    for (let index = 0; index < straceRuns; index += 1) {
      const directory = join(scratch, `strace-${index}`);
      const [call, code] = [calls[index % calls.length], codes[Math.floor(index / calls.length) % codes.length]];
      const when = 1 + Math.floor(index / 8);
      // Only what goes to one store: the runtime writes elsewhere, too, and does not survive errors there.
      const folder = join(directory, 'deeds');
      const paths = [folder, join(folder, `${new Date().toISOString().slice(0, 10)}.001.jsonl`)];
      const filter = ['-f', '-qq', '-o', '/dev/null', ...paths.flatMap((path) => ['-P', path])];
      const inject = ['-e', `trace=${call}`, '-e', `inject=${call}:error=${code}:when=${when}`];
      const child = new JournalProcess([directory, 'append', '0', '200'], ['strace', ...filter, ...inject]);
      const exitCode = await child.ended;
      const last = child.lines.at(-1) ?? '';
      if (exitCode === 0 && last === 'done') outcomes.well += 1;
      else if (/^(degraded|failed)/.test(last)) outcomes.declared += 1;
      else expect([call, code, when, exitCode, last]).toEqual('done, degraded or failed');
      await reopen(directory, child.acknowledged());
    }
    process.stdout.write(`${straceRuns} runs: ${outcomes.well} went on, ${outcomes.declared} declared\n`);
  });
});
