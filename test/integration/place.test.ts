/** `retainer backup place`, ended anywhere, given again, and beside others: the real program on a real directory. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { restoredPath, unplacedMoments } from '@retainer/agent-pod/backup/put-in-place';
import { openAgent } from '@retainer/agent-pod/open-agent';
import { fileLock } from '@retainer/journal/lock';
import { LockHeldError } from '@retainer/journal/open-journal';
import { agentDefinition, scripted } from '../support/agents.ts';
import { gitSays, nameIndividual, openDataDirectory, recordBytes } from '../support/backups.ts';
import { endAll, programPath, retainer, startRetainer, type Ended } from '../support/retainer-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { unavailableSandbox } from '../support/unavailable-sandbox.ts';
import { verifies } from '../verifies.ts';

const AGENT = 'weather/ada';
const SCRIPT = 'version: 1\nrules:\n  - name: nothing is asked\n    answer: {text: done}\n';
const ADA = '11111111-1111-4111-8111-111111111111';

const root = temporaryDirectory();
const data = join(root.path, 'data');
/** Of `data`, with its first commit rebuilt and not in place. */
const rebuilt = join(root.path, 'rebuilt');
const volume = join(root.path, 'volume');
let first = '';
let second = '';
let bytesOfFirst: ReadonlyMap<string, string>;

beforeAll(async () => {
  mkdirSync(join(data, 'journal'), { recursive: true });
  await nameIndividual(data, AGENT, ADA);
  const written = await openDataDirectory(data, { agent: AGENT });
  await written.append(10);
  written.writeFile('a.txt', 'a');
  bytesOfFirst = recordBytes(data);
  first = (await written.backup.commit()).commit;
  await written.append(8);
  written.writeFile('b.txt', 'b');
  second = (await written.backup.commit()).commit;
  await written.journal.close();
  writeFileSync(join(data, 'git.known-hosts'), 'a key\n');
  cpSync(data, rebuilt, { recursive: true });
  const ended = await retainer('restore', '--data', data, '--at', first, '--to', restoredPath(rebuilt, 'M'));
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
});
afterAll(async () => {
  endAll();
  await root.remove();
});
beforeEach(() => begin());

function begin(): void {
  rmSync(volume, { recursive: true, force: true });
  cpSync(rebuilt, volume, { recursive: true });
}

const PLACE = ['backup', 'place', '--data', volume, '--by', 'ann', '--agent', AGENT] as const;

const place = (...args: readonly string[]): Promise<Ended> => retainer(...PLACE, ...args);

async function expectInPlace(): Promise<void> {
  const restored = recordBytes(volume);
  for (const [path, was] of bytesOfFirst)
    if (!path.startsWith('checkpoints/')) expect(restored.get(path)?.startsWith(was), path).toBe(true);
  expect(readdirSync(join(volume, 'workspace'))).toEqual(['a.txt']);
  expect(gitSays(volume, 'rev-parse', 'main').trim()).toBe(first);
  expect(readdirSync(volume).filter((name) => name.startsWith('restore'))).toEqual([]);
  expect(readFileSync(join(volume, 'git.known-hosts'), 'utf8')).toBe('a key\n');
  const verified = await retainer('journal', 'verify', volume);
  expect(verified, verified.stderr).toMatchObject({ code: 0 });
}

const aside = join(volume, 'before-restore-M');

/** Everything that was there before is there whole. */
function expectAside(): void {
  expect(recordBytes(aside)).toEqual(recordBytes(data));
  expect(readdirSync(join(aside, 'workspace'))).toEqual(['a.txt', 'b.txt']);
}

/** @returns why it does not start */
async function startAgent(): Promise<readonly string[]> {
  const { agent, ...rest } = agentDefinition();
  const opened = await openAgent({
    definition: { ...rest, agent: { ...agent, metadata: { ...agent.metadata, namespace: 'weather', name: 'ada' } } },
    dataDirectory: volume,
    model: await scripted(SCRIPT),
    secrets: [],
    sandbox: unavailableSandbox,
    onFault: (error) => expect.fail(String(error)),
  });
  if (!opened.ok) return opened.error;
  await opened.value.close();
  return [];
}

const hasStrace = spawnSync('strace', ['-V']).status === 0;

/** Ends the program at one of its renames. @returns whether it came that far */
function placeUntil(rename: number): boolean {
  const inject = `inject=rename,renameat,renameat2:signal=SIGKILL:when=${rename}`;
  const watched = ['-f', '-qq', '-o', '/dev/null', '-e', 'trace=rename,renameat,renameat2', '-e', inject];
  const ended = spawnSync('strace', [...watched, process.execPath, programPath, ...PLACE, '--at', first], {
    // One thread makes all calls, so they are counted together.
    env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
  });
  if (ended.signal === 'SIGKILL' || ended.status === 137) return true;
  expect(ended.status, String(ended.stderr)).toBe(0);
  return false;
}

/** What a program that knows nothing of the restoring makes of a volume. @returns what it wrote */
function intrude(): number {
  const names = ['workspace', 'left-out.json', 'git', 'outbox', 'journal'].filter(
    (name) => !existsSync(join(volume, name)),
  );
  for (const name of names) {
    mkdirSync(join(volume, name));
    writeFileSync(join(volume, name, 'of-the-intruder'), 'mine');
  }
  return names.length;
}

describe.skipIf(!hasStrace)(hasStrace ? 'a placing that is ended at any rename' : 'needs the package strace', () => {
  verifies('backup:in-place-cut-off', 'is finished by the next call, whatever came in between', async () => {
    let rename = 1;
    for (; placeUntil(rename); rename += 1) {
      expect(await unplacedMoments(volume), `rename ${rename}`).toEqual(['M']);
      const intruded = intrude();
      const again = await place('--at', first.slice(0, 12));
      expect(again, again.stderr).toMatchObject({ code: 0 });
      expect(again.stdout).toMatch(/that was cut off is in place now/);
      await expectInPlace();
      expectAside();
      const left = readdirSync(aside, { recursive: true, encoding: 'utf8' });
      expect(left.filter((path) => path.endsWith('of-the-intruder'))).toHaveLength(intruded);
      expect(readdirSync(volume, { recursive: true }).filter((path) => path === 'outbox')).toEqual([]);
      begin();
    }
    // At least what is moved aside, what is placed, and both records.
    expect(rename).toBeGreaterThan(8);
    await expectInPlace();
  });

  verifies(
    'backup:in-place-cut-off',
    'keeps the agent from starting, also where no record is in its place',
    async () => {
      const before = recordBytes(volume);
      const reasons = await startAgent();
      const at = first.slice(0, 12);
      expect(reasons.join()).toContain('was cut off before it was in place: suspend the agent and finish it with: ');
      expect(reasons.join()).toContain(`retainer restore --agent ada -n weather --at ${at}`);
      expect(recordBytes(volume)).toEqual(before);
      let rename = 1;
      while (existsSync(join(volume, 'journal'))) {
        begin();
        expect(placeUntil(rename), 'the old record is moved aside before the new one comes').toBe(true);
        rename += 1;
      }
      expect((await startAgent()).join()).toContain('was cut off before it was in place');
      expect(existsSync(join(volume, 'journal'))).toBe(false);
      expect((await place('--at', first)).code).toBe(0);
      await expectInPlace();
      expect(await startAgent()).toEqual([]);
    },
  );
});

describe('retainer backup place', () => {
  verifies('backup:in-place-cut-off', 'does not finish another one than the one that is asked for', async () => {
    const names = readdirSync(volume);
    for (const args of [['--at', second], ['--at', '2100-01-01'], [], ['--incoming', second]]) {
      const ended = await place(...args);
      expect(ended, ended.stderr).toMatchObject({ code: 75, stdout: '' });
      expect(ended.stderr).toContain(`you ask for ${second.slice(0, 12)}`);
      expect(ended.stderr).toContain(`a restoring of ${first.slice(0, 12)}`);
      expect(ended.stderr).toContain(`individual ${ADA}`);
      expect(ended.stderr).toContain('or discard it: remove restored-M from the volume');
      expect(readdirSync(volume).filter((name) => name !== 'git.lock')).toEqual(
        names.filter((name) => name !== 'git.lock'),
      );
    }
    expect((await place('--incoming', first)).code).toBe(0);
    await expectInPlace();
  });

  verifies('backup:in-place', 'leaves a record alone that somebody writes', async () => {
    const lock = await fileLock.acquire(join(volume, 'journal', 'lock'));
    const ended = await place('--at', first);
    expect(ended).toMatchObject({ code: 75 });
    expect(ended.stderr).toMatch(/suspend the agent, wait until its pod is gone, and try again/);
    expect(await unplacedMoments(volume)).toEqual(['M']);
    expect(existsSync(aside)).toBe(false);
    await lock.release();
    expect((await place('--at', first)).code).toBe(0);
    await expectInPlace();
  });

  verifies('backup:in-place', 'keeps everybody else from the record to its end', async () => {
    rmSync(restoredPath(volume, 'M'), { recursive: true });
    const comes = new Promise<void>((resolve) => {
      const watcher = watch(volume, (_, name) => {
        if (name !== 'restore-incoming.git') return;
        watcher.close();
        resolve();
      });
    });
    const started = startRetainer([...PLACE, '--incoming', first], { keepsInputOpen: true });
    await comes;
    await expect(fileLock.acquire(join(volume, 'journal', 'lock'))).rejects.toThrow(LockHeldError);
    started.child.stdin?.end();
    expect((await started.ended).code).not.toBe(0);
    await (await fileLock.acquire(join(volume, 'journal', 'lock'))).release();
  });
});
