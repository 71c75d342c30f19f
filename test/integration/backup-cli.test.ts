/** `retainer backup now|log|diff|show` and `retainer restore`, and the backup of `retainer run`: the real program. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommitEntry } from '@retainer/agent-pod/backup/history';
import type { Head } from '@retainer/journal/journal';
import { gitSays, openDataDirectory, recordBytes, type DataDirectory } from '../support/backups.ts';
import { keepHeads } from '../support/kept-heads.ts';
import { Seeded } from '../support/seeded.ts';
import { endAll, examplesPath, retainer, startRetainer, type Ended } from '../support/retainer-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
const data = join(root.path, 'data');
afterAll(async () => {
  endAll();
  await root.remove();
});

async function commits(...where: readonly string[]): Promise<readonly CommitEntry[]> {
  const { stdout } = await retainer('backup', 'log', ...where, '-o', 'json');
  return JSON.parse(stdout) as readonly CommitEntry[];
}

const DAY_MS = 86_400_000;

/** Two commits of a small record. */
let written: DataDirectory;
let first: CommitEntry;
let second: CommitEntry;
let bytesOfFirst: ReadonlyMap<string, string>;
let bytesOfSecond: ReadonlyMap<string, string>;

beforeAll(async () => {
  written = await openDataDirectory(data);
  await written.append(10);
  written.writeFile('a.txt', 'a');
  bytesOfFirst = recordBytes(data);
  expect((await retainer('backup', 'now', '--data', data)).code).toBe(0);
  await written.append(7);
  written.writeFile('b.txt', 'b');
  bytesOfSecond = recordBytes(data);
  expect((await retainer('backup', 'now', '--data', data)).code).toBe(0);
  const [newer, older] = await commits('--data', data);
  if (newer === undefined || older === undefined) throw new Error('two commits were made');
  [first, second] = [older, newer];
  await written.journal.close();
});

async function auditorWith(name: string, heads: readonly Head[]): Promise<string> {
  await keepHeads(join(root.path, name), heads);
  return join(root.path, name);
}

function restore(name: string, ...args: readonly string[]): Promise<Ended> {
  return retainer('restore', '--data', data, '--to', join(root.path, name), ...args);
}

/** What a restoring itself records comes after it. */
function expectRecord(name: string, bytes: ReadonlyMap<string, string>): void {
  const restored = recordBytes(join(root.path, name));
  for (const [path, was] of bytes) {
    if (path.startsWith('checkpoints/')) continue;
    expect(restored.get(path)?.startsWith(was), `${name}: ${path}`).toBe(true);
  }
}

describe('retainer backup log and diff', () => {
  it('lists commits, the newest first, with their heads', () => {
    expect(first).toMatchObject({ agent: 'sample', runs: [], firstOrder: 0 });
    expect(second.subject).toBe('7 records: alpha 4, beta 3');
    expect(first.heads.map(({ store }) => store)).toEqual(['alpha', 'beta', 'system']);
    expect(second.heads.map(({ store }) => store)).toEqual(['alpha', 'beta']);
    expect(second.atMs).toBeGreaterThan(first.atMs);
  });

  verifies('backup:difference', 'tells the records by store and the files', async () => {
    const ended = await retainer('backup', 'diff', first.commit, second.commit, '--data', data, '-o', 'json');
    const { stores, files } = JSON.parse(ended.stdout) as {
      stores: { store: string; records: { kind: string; seq: number }[] }[];
      files: object[];
    };
    expect(stores.map(({ store, records }) => [store, records.length])).toEqual([
      ['alpha', 4],
      ['beta', 3],
    ]);
    expect(stores[0]?.records.map(({ kind, seq }) => [kind, seq])).toEqual([6, 7, 8, 9].map((seq) => ['Note', seq]));
    expect(files).toEqual([{ path: 'workspace/b.txt', what: 'Added' }]);
    const text = await retainer('backup', 'diff', first.commit, '--data', data);
    expect(text.stdout).toMatch(/^alpha {2}4 records \(6 to 9\): Note 4$/m);
    expect(text.stdout).toMatch(/^added +workspace\/b\.txt$/m);
  });
});

describe('retainer backup show', () => {
  verifies('backup:shown', 'tells the newest commit, and the one that is named', async () => {
    const newest = await retainer('backup', 'show', '--data', data);
    expect(newest, newest.stderr).toMatchObject({ code: 0 });
    expect(newest.stdout).toMatch(new RegExp(`^commit +${second.commit}$`, 'm'));
    expect(newest.stdout).toMatch(/^agent +sample/m);
    expect(newest.stdout).toMatch(/^orders +\d+ to \d+$/m);
    expect(newest.stdout).toMatch(/^alpha {2}4 records \(6 to 9\): Note 4$/m);
    expect(newest.stdout).toMatch(/^added +workspace\/b\.txt$/m);
    expect(newest.stdout).toMatch(/^7 records, since [0-9a-f]+$/m);
    const { stdout } = await retainer('backup', 'show', first.commit.slice(0, 8), '--data', data, '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ commit: first.commit, agent: 'sample' });
    expect(JSON.parse(stdout)).toMatchObject({ files: [{ path: 'workspace/a.txt', what: 'Added' }] });
  });

  verifies('backup:named', 'by an order, the newest commit that holds nothing beyond it', async () => {
    const at = async (order: number): Promise<string> => {
      const { stdout } = await retainer('backup', 'show', String(order), '--data', data, '-o', 'json');
      return (JSON.parse(stdout) as CommitEntry).commit;
    };
    const ends = [first.lastOrder, second.lastOrder].map((order = NaN) => order);
    const [end = NaN, last = NaN] = ends;
    expect(await at(end)).toBe(first.commit);
    expect(await at(last - 1)).toBe(first.commit);
    expect(await at(last)).toBe(second.commit);
    expect(await at(last + 1_000_000)).toBe(second.commit);
  });
});

const NOT_UTC = ['Pacific/Auckland', 'America/New_York'] as const;

describe('a moment', () => {
  verifies('backup:named', 'without a zone is in UTC, wherever it is typed; a day alone is its beginning', async () => {
    const iso = new Date(first.atMs).toISOString();
    const next = new Date(second.atMs + DAY_MS).toISOString().slice(0, 10);
    const today = new Date(first.atMs).toISOString().slice(0, 10);
    const inZone = new Date(first.atMs + 3_600_000).toISOString().replace('Z', '+01:00');
    const rows = [
      [iso.slice(0, -1), first.commit],
      [iso.slice(0, -1).replace('T', ' '), first.commit],
      [iso.replace('T', ' ').replace('Z', ' UTC'), first.commit],
      [inZone, first.commit],
      [next, second.commit],
    ] as const;
    for (const TZ of NOT_UTC) {
      const show = (moment: string): Promise<Ended> =>
        startRetainer(['backup', 'show', moment, '--data', data, '-o', 'json'], { variables: { TZ } }).ended;
      for (const [moment, commit] of rows) {
        const { stdout, stderr } = await show(moment);
        expect(JSON.parse(stdout), `${moment} in ${TZ}: ${stderr}`).toMatchObject({ commit });
      }
      for (const moment of [today, `${today}T00:00`])
        expect((await show(moment)).stderr).toContain(`no commit is "${moment}": the first one is of ${iso}`);
    }
  });

  verifies('backup:named', 'that no calendar has is told', async () => {
    for (const moment of ['2026-02-30', '2026-01-31T25:00', '2026-01-31 08:00 CET', '2026-01-31T']) {
      const ended = await retainer('backup', 'show', moment, '--data', data);
      expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no such day or time') });
    }
  });
});

describe('retainer backup now', () => {
  verifies('backup:failure-told', 'tells a file that went away by its name, and no stack', async () => {
    const copy = join(root.path, 'went-away');
    cpSync(data, copy, { recursive: true });
    const gone = join(copy, 'journal', 'checkpoints', 'gone.json');
    symlinkSync(join(root.path, 'nowhere'), gone);
    const ended = await retainer('backup', 'now', '--data', copy);
    expect(ended).toMatchObject({ code: 4, stdout: '' });
    expect(ended.stderr).toContain(`${gone} is not there, or went away in the middle of the work`);
    expect(ended.stderr).not.toMatch(/^ +at /m);
    rmSync(gone);
    expect((await retainer('backup', 'now', '--data', copy)).code).toBe(0);
  });
});

describe('retainer restore', () => {
  verifies('backup:restores', 'at a commit and at a time, byte for byte', async () => {
    const between = new Date(first.atMs).toISOString();
    const rows = [
      ['by-commit', first.commit.slice(0, 8), bytesOfFirst],
      ['by-time', between, bytesOfFirst],
      ['newest', '2100-01-01', bytesOfSecond],
    ] as const;
    for (const [name, at, bytes] of rows) {
      const ended = await restore(name, '--at', at);
      expect(ended, ended.stderr).toMatchObject({ code: 0 });
      expect(ended.stdout).toMatch(/^verified: \d+ records/m);
      expectRecord(name, bytes);
      expect((await retainer('journal', 'verify', join(root.path, name))).code).toBe(0);
    }
    expect(readdirSync(join(root.path, 'by-time', 'workspace'))).toEqual(['a.txt']);
  });

  verifies('backup:restores', 'from a clone alone, when the volume is gone', async () => {
    const clone = join(root.path, 'clone.git');
    gitSays(data, 'clone', '--quiet', '--bare', join(data, 'git'), clone);
    expect((await commits('--repository', clone)).map(({ commit }) => commit)).toEqual([second.commit, first.commit]);
    const to = join(root.path, 'from-clone');
    const ended = await retainer('restore', '--from', clone, '--at', second.commit, '--to', to);
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    expectRecord('from-clone', bytesOfSecond);
  });

  verifies('backup:restore-refused', 'where a head of the auditor does not fit, but for later ones', async () => {
    const head = first.heads.find(({ store }) => store === 'alpha');
    const later = second.heads.find(({ store }) => store === 'alpha');
    if (head === undefined || later === undefined) throw new Error('the store has heads');
    const good = await auditorWith('auditor', [head, later]);
    const fits = await restore('with-heads', '--at', first.commit, '--heads', good);
    expect(fits, fits.stderr).toMatchObject({ code: 0 });
    expect(fits.stdout).toMatch(/^the auditor saw records after this commit, which are not in it: alpha$/m);
    const forged = await auditorWith('other-auditor', [{ ...head, hash: 'f'.repeat(64) }]);
    const ended = await restore('with-other-heads', '--at', first.commit, '--heads', forged);
    expect(ended.code).toBe(8);
    expect(ended.stderr).toMatch(/was not restored: not the record that was seen before/);
    expect(existsSync(join(root.path, 'with-other-heads'))).toBe(false);
  });

  verifies('backup:restore-refused', 'what cannot be meant, and changes nothing', async () => {
    mkdirSync(join(root.path, 'full'));
    writeFileSync(join(root.path, 'full', 'mine'), 'mine');
    writeFileSync(join(root.path, 'file'), 'mine');
    const rows = [
      ['full', ['--at', first.commit], 1, /full is not empty: nothing is restored over anything/],
      ['file', ['--at', first.commit], 1, /file is no directory/],
      ['none', ['--at', 'abcdef12'], 1, /no commit is "abcdef12"/],
      ['none', ['--at', '1999-01-01'], 1, /no commit is "1999-01-01": the first one is of \d{4}-/],
      ['none', ['--at', 'HEAD@{1}'], 1, /no commit is .*give a moment such as/],
      ['none', ['--at', '2026-13-45'], 1, /no commit is "2026-13-45": there is no such day or time/],
      ['none', ['--at', '1'], 1, /no commit is "1": the first one ends at order \d+/],
      ['none', ['--from', data], 1, /--from means one place and --data another/],
      ['none', ['--at', first.commit, '--heads', root.path], 1, /is no directory of an auditor/],
    ] as const;
    for (const [name, args, code, says] of rows) {
      const ended = await restore(name, ...args);
      expect(ended.code).toBe(code);
      expect(ended.stderr).toMatch(says);
    }
    expect(readdirSync(join(root.path, 'full'))).toEqual(['mine']);
    expect(existsSync(join(root.path, 'none'))).toBe(false);
    expect(readdirSync(root.path).filter((name) => name.endsWith('.restoring'))).toEqual([]);
  });

  verifies('backup:restore-refused', 'leaves nothing behind when it is ended in the middle', async () => {
    const to = join(root.path, 'ended');
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const { child, ended } = startRetainer(['restore', '--data', data, '--to', to]);
      await expect.poll(() => existsSync(`${to}.restoring`), { timeout: 20_000, interval: 2 }).toBe(true);
      child.kill(signal);
      expect((await ended).code).toBe(null);
      expect(readdirSync(root.path).filter((name) => name.startsWith('ended'))).toEqual([]);
    }
  });

  verifies('backup:restore-refused', 'a repository whose bytes were changed', async () => {
    const bad = join(root.path, 'bad');
    cpSync(data, bad, { recursive: true });
    const packs = join(bad, 'git/objects/pack');
    const [pack = ''] = readdirSync(packs).filter((name) => name.endsWith('.pack'));
    const bytes = readFileSync(join(packs, pack));
    bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] ?? 0) ^ 0xff;
    rmSync(join(packs, pack));
    writeFileSync(join(packs, pack), bytes);
    const to = join(root.path, 'from-bad');
    const results = await Promise.all(
      [first, second].map(({ commit }, index) =>
        retainer('restore', '--from', bad, '--at', commit, '--to', `${to}${index}`),
      ),
    );
    expect(results.some(({ code }) => code === 5)).toBe(true);
    for (const [index, { code, stderr }] of results.entries()) {
      expect(existsSync(`${to}${index}`)).toBe(code === 0);
      if (code !== 0)
        expect(stderr).toMatch(/^commit [0-9a-f]+ is damaged: \S+.*; take another commit, or another copy$/m);
    }
  });
});

describe('retainer backup now', () => {
  verifies('backup:secrets-stay-out', 'in a shell that does not have them, as the last commit knew them', async () => {
    const copy = join(root.path, 'secrets');
    cpSync(data, copy, { recursive: true });
    const secret = 'hunter2-is-not-a-good-one';
    const agent = await openDataDirectory(copy, { secret });
    agent.writeFile('key.txt', `it is ${secret}`);
    agent.writeFile('plain.txt', 'none');
    expect((await agent.backup.commit()).leftOut).toEqual([{ path: 'key.txt', why: 'HoldsSecret' }]);
    const now = async (): Promise<string> => (await retainer('backup', 'now', '--data', copy)).stdout;
    const inCommit = (): string => gitSays(copy, 'ls-tree', '-r', '--name-only', 'main', 'workspace/');
    const told = /^left out {2}key\.txt: it holds a secret that this process knows, or that the last commit knew$/m;
    agent.writeFile('key.txt', `it was moved within the file: ${secret}`);
    agent.writeFile('new.txt', 'new');
    // Each of its own commits is the last one for the next.
    for (let round = 0; round < 2; round += 1) {
      await agent.append(1);
      expect(await now()).toMatch(told);
      expect(inCommit()).toBe('workspace/a.txt\nworkspace/b.txt\nworkspace/new.txt\nworkspace/plain.txt\n');
    }
    // The agent looks again.
    agent.writeFile('key.txt', 'it was taken out');
    await agent.append(1);
    expect((await agent.backup.commit()).leftOut).toEqual([]);
    expect(inCommit()).toContain('workspace/key.txt');

    agent.writeFile(`of-${secret}.txt`, 'its name is the secret');
    await agent.append(1);
    expect((await agent.backup.commit()).leftOut).toEqual([{ why: 'HoldsSecret' }]);
    agent.writeFile('plain.txt', 'changed');
    for (let round = 0; round < 2; round += 1) {
      await agent.append(1);
      expect(await now()).toMatch(/^left out {2}a file: /m);
    }
    expect(gitSays(copy, 'show', 'main:workspace/plain.txt')).toBe('changed');
    for (const line of gitSays(copy, 'rev-list', '--all', '--objects').trim().split('\n')) {
      expect(line).not.toContain(secret);
      expect(gitSays(copy, 'cat-file', '-p', line.split(' ')[0] ?? '')).not.toContain(secret);
    }
    await agent.journal.close();
  });

  verifies('backup:killed', 'killed with its process at any time, is made up for by the next', async () => {
    const copy = join(root.path, 'killed');
    cpSync(data, copy, { recursive: true });
    const again = await openDataDirectory(copy);
    const random = new Seeded(11);
    for (let round = 0; round < 10; round += 1) {
      await again.append(50, 'k'.repeat(5000));
      const { child, ended } = startRetainer(['backup', 'now', '--data', copy]);
      await sleep(200 + random.below(1500));
      child.kill('SIGKILL');
      await ended;
    }
    // What a killed git may have left counts as a lock for a minute.
    for (const name of readdirSync(join(copy, 'git/refs/heads')))
      if (name.endsWith('.lock')) utimesSync(join(copy, 'git/refs/heads', name), 0, 0);
    await again.journal.close();
    const last = await retainer('backup', 'now', '--data', copy);
    expect(last, last.stderr).toMatchObject({ code: 0 });
    gitSays(copy, 'fsck', '--strict', '--full');
    const to = join(root.path, 'after-kills');
    expect((await retainer('restore', '--data', copy, '--to', to)).code).toBe(0);
    expectRecord('after-kills', recordBytes(copy));
  });
});

describe('retainer run', () => {
  verifies('backup:in-time', 'commits when its runs have ended, with all of the record', async () => {
    const own = join(root.path, 'run-data');
    const ended = await retainer('run', '-f', examplesPath, '--data', own, '--model', 'scripted');
    // One of the examples ends Abandoned.
    expect(ended, ended.stderr).toMatchObject({ code: 2 });
    expect(ended.stderr).not.toContain('backup');
    const made = await commits('--data', own);
    expect(made.length).toBeGreaterThan(0);
    expect(made.flatMap(({ runs }) => runs)).toContainEqual(
      expect.objectContaining({ task: 'wettest-month', outcome: 'Accepted' }),
    );
    const to = join(root.path, 'run-restored');
    expect((await retainer('restore', '--data', own, '--to', to)).code).toBe(0);
    expectRecord('run-restored', recordBytes(own));
    expect(readFileSync(join(to, 'configuration/agent.json'), 'utf8')).toContain('"meteorologist"');
  });
});
