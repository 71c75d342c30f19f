/** The second copy of a data directory, with the real git. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Backup } from '@retainer/agent-pod/backup/backup';
import { CHUNK_BYTES_MAX } from '@retainer/agent-pod/backup/chunks';
import { GitFailedError } from '@retainer/agent-pod/backup/git';
import { readRepository, withRepository } from '@retainer/agent-pod/backup/repository';
import { restore } from '@retainer/agent-pod/backup/restore';
import { systemClock } from '@retainer/contract/std/system-clock';
import { verifyJournal, type Fault } from '@retainer/journal/verify';
import { gitSays, openDataDirectory, recordBytes, type DataDirectory } from '../support/backups.ts';
import { programPath } from '../support/retainer-command.ts';
import { Seeded } from '../support/seeded.ts';
import { whyNoVolume, tmpfsOf8MiB, withVolume } from '../support/small-volume.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
afterAll(() => root.remove());
let directories = 0;

function place(): string {
  directories += 1;
  return join(root.path, `data-${directories}`);
}

async function inDirectory(
  use: (data: DataDirectory) => Promise<void>,
  options: Parameters<typeof openDataDirectory>[1] = {},
): Promise<void> {
  const data = await openDataDirectory(place(), options);
  try {
    await use(data);
  } finally {
    await data.journal.close();
  }
}

async function faultsOf(directory: string): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  for await (const fault of verifyJournal({ directory: join(directory, 'journal'), blobs: true })) faults.push(fault);
  return faults;
}

/** Size by path, as the last commit has it. */
function treeOf(directory: string, commit = 'main'): ReadonlyMap<string, number> {
  const lines = gitSays(directory, 'ls-tree', '-r', '-l', commit).trimEnd().split('\n');
  return new Map(lines.map((line) => [line.split('\t')[1] ?? '', Number(line.split('\t')[0]?.split(/ +/)[3])]));
}

/** Restores and verifies. @returns where */
async function restored(directory: string, commit: string): Promise<string> {
  const to = place();
  const repository = await readRepository(join(directory, 'git'));
  if (repository === undefined) throw new Error('no repository');
  await restore({ repository, commit, to, isGood: async (path) => (await faultsOf(path)).length === 0 });
  return to;
}

describe('a commit', () => {
  verifies('backup:append-only', 'adds the new bytes of a segment and none of the old ones', async () => {
    await inDirectory(async ({ path, append, backup, journal }) => {
      await append(4000, 'x'.repeat(400));
      await journal.putBlob(Buffer.from('a long text '.repeat(10_000)));
      await backup.commit();
      const first = treeOf(path);
      await append(10);
      await backup.commit();
      await append(10);
      await backup.commit();
      const last = treeOf(path);
      const pieces = [...last].filter(([name]) => name.startsWith('journal/alpha/'));
      expect(pieces.length).toBeGreaterThan(3);
      for (const [, size] of pieces) expect(size).toBeLessThanOrEqual(CHUNK_BYTES_MAX);
      for (const [name, size] of first) if (name.endsWith('.alpha')) expect(last.get(name)).toBe(size);
      const added = gitSays(path, 'diff', '--raw', '--no-abbrev', 'main~1', 'main', '--', 'journal')
        .trimEnd()
        .split('\n');
      // One piece of each of the two stores.
      expect(added.map((line) => line.split(/\s/)[4])).toEqual(['A', 'A']);
    });
  });

  it('is made of a data directory that is named from where the agent was started', async () => {
    const path = mkdtempSync(join('node_modules', '.backup-'));
    try {
      const { backup, journal } = await openDataDirectory(path);
      const { commit } = await backup.commit();
      await journal.close();
      expect(gitSays(path, 'rev-parse', 'main').trim()).toBe(commit);
      expect(await faultsOf(await restored(path, commit))).toEqual([]);
    } finally {
      rmSync(path, { recursive: true, force: true });
    }
  });

  it('is not made where nothing has changed', async () => {
    await inDirectory(async ({ append, backup }) => {
      await append(3);
      const first = await backup.commit();
      const second = await backup.commit();
      expect([first.isNew, second.isNew, second.commit]).toEqual([true, false, first.commit]);
    });
  });

  it('takes a segment anew that no longer begins as it was committed', async () => {
    await inDirectory(async (data) => {
      await data.append(20);
      await data.backup.commit();
      const before = treeOf(data.path);
      const [name = ''] = [...before.keys()].filter((each) => each.startsWith('journal/alpha/'));
      const file = join(data.path, name.replace(/\/\d+\.alpha$/, ''));
      // As after a power loss: unsynced lines gone, others in their place.
      const lines = readFileSync(file, 'latin1').split('\n');
      writeFileSync(file, `${lines.slice(0, 5).join('\n')}\n`);
      await data.backup.commit();
      expect(treeOf(data.path).get(name)).toBe(readFileSync(file).length);
      expect(gitSays(data.path, 'log', '--oneline').trim().split('\n')).toHaveLength(2);
    });
  });

  verifies('backup:synced', 'syncs objects, their index and the reference', async () => {
    await inDirectory(async ({ path, append, backup }) => {
      await append(3);
      await backup.commit();
      await append(3);
      const trace = join(root.path, 'trace');
      const traced = ['-f', '-y', '-e', 'trace=fsync,fdatasync', '-o', trace];
      execFileSync('strace', [...traced, process.execPath, programPath, 'backup', 'now', '--data', path]);
      const synced = readFileSync(trace, 'utf8');
      for (const what of [/objects\/pack\/tmp_pack_|pack\/[^>]*\.pack/, /tmp_idx_|\.idx/, /refs\/heads\/main/])
        expect(synced).toMatch(what);
    });
  });
});

describe('a restored directory', () => {
  verifies('backup:restores', 'has the record of each commit byte for byte', async () => {
    await inDirectory(async ({ path, append, backup, journal, writeFile }) => {
      const moments: { readonly commit: string; readonly bytes: ReadonlyMap<string, string> }[] = [];
      for (const text of ['one', 'two', 'three']) {
        await append(50, text.repeat(20));
        await journal.putBlob(Buffer.from(text.repeat(50_000)));
        writeFile(`.git/${text}`, text);
        const { commit } = await backup.commit();
        moments.push({ commit, bytes: recordBytes(path) });
      }
      for (const { commit, bytes } of moments) expect(recordBytes(await restored(path, commit))).toEqual(bytes);
      const last = await restored(path, moments.at(-1)?.commit ?? '');
      expect(readdirSync(join(last, 'workspace/.git'))).toEqual(['one', 'three', 'two']);
      // It goes on: the record opens, and the history continues from that commit.
      const again = await openDataDirectory(last);
      await again.append(5);
      const made = await again.backup.commit();
      await again.journal.close();
      expect(await faultsOf(last)).toEqual([]);
      expect(gitSays(last, 'rev-parse', 'main~1').trim()).toBe(moments.at(-1)?.commit);
      expect(made.isNew).toBe(true);
    });
  });

  verifies('backup:while-written', 'verifies, whenever the commit was made', async () => {
    await inDirectory(async ({ path, append, backup }) => {
      let goesOn = true;
      const writing = (async () => {
        while (goesOn) await append(40, 'w'.repeat(200));
      })();
      const commits: string[] = [];
      for (let round = 0; round < 8; round += 1) commits.push((await backup.commit()).commit);
      goesOn = false;
      await writing;
      expect(new Set(commits).size).toBe(8);
      for (const commit of commits) expect(await faultsOf(await restored(path, commit))).toEqual([]);
    });
  });
});

describe('a commit that is broken off', () => {
  verifies('backup:killed', 'leaves a repository that fsck accepts, a hundred times', async () => {
    await inDirectory(async ({ path, append, backup }) => {
      const random = new Seeded(7);
      await append(10);
      await backup.commit();
      await append(20, 'k'.repeat(2000));
      let startMs = performance.now();
      await backup.commit();
      let tookMs = performance.now() - startMs;
      let killed = 0;
      for (let round = 0; round < 100; round += 1) {
        await append(20, 'k'.repeat(2000));
        const stop = new AbortController();
        startMs = performance.now();
        const timer = setTimeout(() => stop.abort(), random.below(Math.ceil(tookMs)));
        const isKilled = await backup.commit(stop.signal).then(
          () => false,
          () => true,
        );
        clearTimeout(timer);
        // A machine that others use as well changes its speed: the next kill falls into what a commit takes now.
        if (isKilled) killed += 1;
        else tookMs = performance.now() - startMs;
        if (round % 20 === 0) gitSays(path, 'fsck', '--strict', '--full');
      }
      expect(killed).toBeGreaterThan(10);
      // A lock that a killed git left counts as one for a minute.
      for (const folder of ['git', 'git/refs/heads'])
        for (const name of readdirSync(join(path, folder)))
          if (name.endsWith('.lock')) utimesSync(join(path, folder, name), 0, 0);
      const { commit } = await backup.commit();
      gitSays(path, 'fsck', '--strict', '--full');
      expect(await faultsOf(await restored(path, commit))).toEqual([]);
      expect(readdirSync(join(path, 'git/objects/pack')).filter((name) => /^tmp_|\.keep$/.test(name))).toEqual([]);
    });
  });

  verifies('backup:killed', 'in a repository that cannot be read any more begins a new one', async () => {
    await inDirectory(async ({ path, append, backup }) => {
      await append(10);
      await backup.commit();
      for (const name of readdirSync(join(path, 'git/objects/pack'))) rmSync(join(path, 'git/objects/pack', name));
      await append(1);
      const { notices, commit } = await backup.commit();
      expect(notices.join()).toMatch(/git cannot read the repository of the backup: it is now .*git\.unreadable-/);
      expect(await faultsOf(await restored(path, commit))).toEqual([]);
    });
  });

  verifies('backup:killed', 'keeps the newest one that was set aside, and says which were removed', async () => {
    await inDirectory(async ({ path, append, backup, writeFile }) => {
      const aside = (): readonly string[] => readdirSync(path).filter((name) => name.startsWith('git.unreadable-'));
      writeFile('a.txt', 'a');
      await append(3);
      await backup.commit();
      const kept: string[] = [];
      for (let round = 0; round < 3; round += 1) {
        const packs = join(path, 'git/objects/pack');
        for (const name of readdirSync(packs)) rmSync(join(packs, name));
        // Shows which one it was.
        writeFileSync(join(path, 'git/description'), String(round));
        await append(1);
        const { notices } = await backup.commit();
        const removed = notices.filter((notice) => notice.includes('the newest one is kept'));
        expect(removed.map((notice) => notice.split(' ')[0])).toEqual(kept.map((name) => join(path, name)));
        kept.splice(0, kept.length, ...aside());
        expect(kept).toHaveLength(1);
        expect(readFileSync(join(path, kept[0] ?? '', 'description'), 'utf8')).toBe(String(round));
      }
    });
  });

  verifies('backup:failure-told', 'tells the first error where nothing is left to be tidied', async () => {
    const directory = join(place(), 'git');
    const failed = withRepository(directory, () => {
      rmSync(directory, { recursive: true });
      throw new Error('the first one');
    });
    await expect(failed).rejects.toThrow('the first one');
  });
});

describe('a repository that lost a part of its history', () => {
  verifies('backup:killed', 'is set aside by the next process, and the journal gives a whole one', async () => {
    await inDirectory(async ({ path, append, backup }) => {
      await append(10);
      await backup.commit();
      const packs = join(path, 'git/objects/pack');
      const oldest = readdirSync(packs);
      await append(10);
      await backup.commit();
      for (const name of oldest) rmSync(join(packs, name));
      await append(10);
      const next = new Backup({ dataDirectory: path, holdsSecret: () => false, clock: systemClock });
      const { notices, commit } = await next.commit();
      expect(notices.join()).toMatch(/git cannot read the repository of the backup: it is now .*git\.unreadable-/);
      expect(await faultsOf(await restored(path, commit))).toEqual([]);
      expect(gitSays(path, 'rev-list', '--count', 'main').trim()).toBe('1');
    });
  });
});

describe('a repository that was deleted', () => {
  verifies('backup:restores', 'is made anew from the record alone, always the same', async () => {
    await inDirectory(async ({ path, append, backup }) => {
      for (let round = 0; round < 10; round += 1) {
        await append(1000);
        await backup.commit();
      }
      const trees: string[] = [];
      for (let round = 0; round < 2; round += 1) {
        rmSync(join(path, 'git'), { recursive: true });
        const { commit } = await backup.commit();
        trees.push(gitSays(path, 'rev-parse', 'main^{tree}'));
        expect(recordBytes(await restored(path, commit))).toEqual(recordBytes(path));
      }
      expect(trees[0]).toBe(trees[1]);
      expect(gitSays(path, 'rev-list', '--count', 'main').trim()).toBe('1');
    });
  });
});

describe('what is foreign in the repository', () => {
  verifies('backup:nothing-foreign', 'steers nothing: hooks, configuration, other objects', async () => {
    await inDirectory(async ({ path, append, backup }) => {
      await append(3);
      await backup.commit();
      const proof = join(root.path, 'was-run');
      const program = join(root.path, 'hostile');
      writeFileSync(program, `#!/bin/sh\ntouch ${proof}\n`);
      chmodSync(program, 0o755);
      const git = join(path, 'git');
      mkdirSync(join(git, 'hooks'));
      for (const hook of [
        'pre-commit',
        'post-commit',
        'reference-transaction',
        'post-index-change',
        'pre-push',
        'pre-auto-gc',
      ])
        symlinkSync(program, join(git, 'hooks', hook));
      writeFileSync(
        join(git, 'config'),
        `[core]\n\tbare = true\n\tfsmonitor = ${program}\n\tsshCommand = ${program}\n\tpager = ${program}\n\thooksPath = ${git}/hooks\n\talternateRefsCommand = ${program}\n[include]\n\tpath = ${program}\n[gpg]\n\tprogram = ${program}\n[commit]\n\tgpgSign = true\n`,
      );
      mkdirSync(join(git, 'objects/info'), { recursive: true });
      writeFileSync(join(git, 'objects/info/alternates'), '/nowhere\n');
      await append(3);
      const { notices, isNew } = await backup.commit();
      expect(isNew).toBe(true);
      expect(existsSync(proof)).toBe(false);
      expect(notices.join('\n')).toMatch(/hooks was removed.*\n.*alternates was removed.*\n.*config was written again/);
      expect(existsSync(join(git, 'hooks'))).toBe(false);
    });
  });
});

describe('secrets', () => {
  const secret = 'hunter2-is-not-a-good-one';

  verifies('backup:secrets-stay-out', 'of the workspace are in no commit, in no form', async () => {
    await inDirectory(
      async ({ path, append, backup, writeFile }) => {
        await append(1);
        writeFile('good.txt', 'hello');
        writeFile('deep/notes.md', `the key is ${secret}\n`);
        writeFile('base64.txt', `x ${Buffer.from(secret).toString('base64')} y`);
        writeFile(
          'late.bin',
          Buffer.concat([Buffer.alloc(40_000, 'a'), Buffer.from(secret), Buffer.alloc(40_000, 'b')]),
        );
        writeFile('large.bin', Buffer.alloc(10 * 1024 * 1024 + 1));
        symlinkSync('/etc/passwd', join(path, 'workspace/link'));
        const { leftOut } = await backup.commit();
        expect(leftOut).toEqual([
          { path: 'base64.txt', why: 'HoldsSecret' },
          { path: 'deep/notes.md', why: 'HoldsSecret' },
          { path: 'large.bin', why: 'TooLarge' },
          { path: 'late.bin', why: 'HoldsSecret' },
          { path: 'link', why: 'NoPlainFile' },
        ]);
        expect([...treeOf(path).keys()].filter((name) => name.startsWith('workspace/'))).toEqual([
          'workspace/good.txt',
        ]);
        // A file that gets one leaves the next commit.
        writeFile('good.txt', secret);
        await backup.commit();
        expect([...treeOf(path).keys()].filter((name) => name.startsWith('workspace/'))).toEqual([]);
        for (const line of gitSays(path, 'rev-list', '--all', '--objects').trim().split('\n')) {
          const [id = ''] = line.split(' ');
          expect(gitSays(path, 'cat-file', '-p', id)).not.toContain(secret);
        }
      },
      { secret },
    );
  });
});

const noVolume = await whyNoVolume(tmpfsOf8MiB);

describe('a git that fails', () => {
  verifies('backup:failure-told', 'says that it is locked, and goes on without the lock', async () => {
    await inDirectory(async ({ path, append, backup }) => {
      await append(3);
      await backup.commit();
      const lock = join(path, 'git/refs/heads/main.lock');
      writeFileSync(lock, '');
      await append(3);
      const failed = await backup.commit().catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(GitFailedError);
      expect(failed).toMatchObject({ failure: 'Locked' });
      // Nobody holds a lock for a minute: whoever left it was killed.
      utimesSync(lock, 0, 0);
      const { isNew, notices } = await backup.commit();
      expect(isNew).toBe(true);
      expect(notices.join()).toMatch(/main\.lock was removed/);
    });
  });

  verifies('backup:failure-told', 'in a directory that is no repository', async () => {
    await inDirectory(async ({ path, append, backup }) => {
      await append(3);
      writeFileSync(join(path, 'git'), 'a file');
      await expect(backup.commit()).rejects.toThrow(/EEXIST|no directory/);
    });
  });
});

describe.skipIf(noVolume !== undefined)(noVolume ?? 'a volume without space', () => {
  verifies('backup:failure-told', 'says that there is no space, and goes on when there is some', async () => {
    await withVolume(tmpfsOf8MiB, async ({ path }) => {
      const data = await openDataDirectory(join(path, 'data'));
      await data.append(10);
      await data.backup.commit();
      data.writeFile('random.bin', randomBytes(1_000_000));
      const { bfree, bsize } = statfsSync(path);
      writeFileSync(join(path, 'filler'), Buffer.alloc(bfree * bsize - 400_000));
      const failed = await data.backup.commit().catch((error: unknown) => error);
      expect(failed, String(failed)).toMatchObject({ failure: 'NoSpace' });
      expect(data.journal.mode).toBe('Writable');
      await data.append(1);
      rmSync(join(path, 'filler'));
      expect((await data.backup.commit()).isNew).toBe(true);
      gitSays(data.path, 'fsck', '--strict', '--full');
      await data.journal.close();
    });
  });
});

describe.skipIf(noVolume !== undefined)(noVolume ?? 'a restoring to a volume without space', () => {
  verifies('backup:restore-refused', 'says so, and leaves no process of git behind', async () => {
    await withVolume(tmpfsOf8MiB, async (volume) => {
      await inDirectory(async ({ path, append, backup, writeFile }) => {
        await append(10);
        // The history needs more than there is, and the files do not.
        writeFile('random.bin', randomBytes(9_000_000));
        await backup.commit();
        rmSync(join(path, 'workspace/random.bin'));
        const { commit } = await backup.commit();
        const repository = await readRepository(join(path, 'git'));
        if (repository === undefined) throw new Error('the repository is there');
        const to = join(volume.path, 'restored');
        await expect(restore({ repository, commit, to, isGood: () => Promise.resolve(true) })).rejects.toMatchObject({
          failure: 'NoSpace',
        });
        expect(processesOf(join(path, 'git'))).toEqual([]);
        expect(readdirSync(volume.path)).not.toContain('restored');
      });
    });
  });
});

/** Programs of git that work on a repository. */
function processesOf(repository: string): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return readFileSync(`/proc/${name}/environ`, 'utf8').includes(`GIT_DIR=${repository}\0`);
    } catch {
      return false;
    }
  });
}

/** That no packing makes smaller. */
function randomBytes(count: number): Buffer {
  const random = new Seeded(3);
  return Buffer.from(Array.from({ length: count }, () => random.below(256)));
}
