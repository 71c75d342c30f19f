/** What the auditor's process takes of memory on a real record: at rest, and with the judge that it starts. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect } from 'vitest';
import { AUDITOR_NODE_FLAGS } from '@retainer/contract/api/names';
import { systemClock } from '@retainer/contract/std/system-clock';
import { journalOf, recordRuns, strictCharacter } from '../support/recorded-agent.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const program = fileURLToPath(new URL('../../agent-pod/dist/auditor-main.js', import.meta.url));
const MIB = 1024 * 1024;
const AT_REST_BYTES_MAX = 64 * MIB;
const JUDGING_BYTES_MAX = 160 * MIB;
const SAMPLE_EVERY_MS = 20;

const root = temporaryDirectory();
const data = join(root.path, 'data');
const runs = ['plain', 'refused', 'approved', 'corrected', 'unsaid', 'unheard'] as const;

beforeAll(async () => {
  await recordRuns(data, strictCharacter, runs);
});
afterAll(() => root.remove());

function residentBytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

function childrenOf(pid: number): readonly number[] {
  const all = readdirSync('/proc').filter((it) => /^\d+$/.test(it));
  return all.map(Number).filter((it) => parentOf(it) === pid);
}

function parentOf(pid: number): number {
  try {
    return Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return 0;
  }
}

verifies('audit:memory', 'on a record of six runs, while they are judged and afterwards', async () => {
  const metrics = join(root.path, 'metrics');
  const args = [program, '--journal', journalOf(data), '--own', join(root.path, 'own'), '--metrics-file', metrics];
  const child = spawn(process.execPath, [...AUDITOR_NODE_FLAGS, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  const pid = child.pid ?? 0;
  const isJudged = (): boolean => readText(metrics).includes(`runs_total{outcome="equal"} ${runs.length}\n`);
  let mostBytes = 0;
  try {
    while (!isJudged()) {
      const sum = [pid, ...childrenOf(pid)].reduce((bytes, it) => bytes + residentBytes(it), 0);
      mostBytes = Math.max(mostBytes, sum);
      await systemClock.sleep(SAMPLE_EVERY_MS);
    }
    const restBytes = residentBytes(pid);
    console.info(`audit-memory: ${shown(restBytes)} MiB at rest, ${shown(mostBytes)} MiB while it judges`);
    expect(childrenOf(pid)).toEqual([]);
    expect(restBytes).toBeLessThanOrEqual(AT_REST_BYTES_MAX);
    expect(mostBytes).toBeLessThanOrEqual(JUDGING_BYTES_MAX);
  } finally {
    child.kill('SIGTERM');
    // It writes into its directory until it has ended.
    await ended;
  }
});

function shown(bytes: number): string {
  return (bytes / MIB).toFixed(1);
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
