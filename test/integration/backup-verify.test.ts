/** `retainer backup verify`, and `retainer journal verify` of clones: the real program and real clones. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { CommitEntry } from '@retainer/agent-pod/backup/history';
import { gitSays, openDataDirectory } from '../support/backups.ts';
import { keepHeads } from '../support/kept-heads.ts';
import { endAll, startRetainer, type Ended } from '../support/retainer-command.ts';
import { rewriteSuffix } from '../support/sample-journal.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
const data = join(root.path, 'data');
const bare = join(root.path, 'clone.git');
const checkedOut = join(root.path, 'clone');
let newest: CommitEntry;

beforeAll(async () => {
  mkdirSync(temporary);
  const written = await openDataDirectory(data);
  await written.append(20, 'y'.repeat(500));
  written.writeFile('a.txt', 'a');
  await written.backup.commit();
  await written.append(20, 'z'.repeat(500));
  await written.backup.commit();
  await written.journal.close();
  gitSays(data, 'clone', '--quiet', '--bare', join(data, 'git'), bare);
  gitSays(data, 'clone', '--quiet', join(data, 'git'), checkedOut);
  const log = await retainer('backup', 'log', '--repository', bare, '-o', 'json');
  const [entry] = JSON.parse(log.stdout) as readonly CommitEntry[];
  if (entry === undefined) throw new Error(log.stderr);
  newest = entry;
});
afterAll(async () => {
  endAll();
  await root.remove();
});

/** Of the commands of this file alone. */
const temporary = join(root.path, 'temporary');
const leftBehind = (): readonly string[] => readdirSync(temporary);
const retainer = (...args: readonly string[]): Promise<Ended> =>
  startRetainer(args, { variables: { TMPDIR: temporary } }).ended;

function expectVerified({ code, stdout, stderr }: Ended): void {
  expect(code, `${stdout}${stderr}`).toBe(0);
  expect(stdout).toMatch(/^verified: every record, link, segment and blob is unchanged/m);
  expect(stdout).toMatch(
    new RegExp(`^commit ${newest.commit.slice(0, 12)}\\S* of .*: every object of git, and all 3 heads$`, 'm'),
  );
}

/** A copy of the bare clone in which one object says something else: a name for everything that is the same as git's own. */
function withChangedPack(name: string): string {
  const path = join(root.path, name);
  cpSync(bare, path, { recursive: true });
  const packs = join(path, 'objects/pack');
  for (const pack of readdirSync(packs).filter((file) => file.endsWith('.pack'))) {
    const bytes = readFileSync(join(packs, pack));
    const at = Math.floor(bytes.length / 2);
    bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    rmSync(join(packs, pack));
    writeFileSync(join(packs, pack), bytes);
  }
  return path;
}

type Changed = (blobId: string, from: string, to: string) => string;

interface Forgery {
  /** @param lines  of `git ls-tree -r`. @param changed  the id of a blob in which the first text is the second one */
  readonly tree?: (lines: readonly string[], changed: Changed) => readonly string[];
  readonly message?: (text: string) => string;
}

/** A clone with one more commit, which git finds sound and somebody made by hand. */
function forged(name: string, { tree = (lines) => lines, message = (text) => text }: Forgery): string {
  const path = join(root.path, name);
  cpSync(bare, path, { recursive: true });
  const index = join(root.path, `${name}.index`);
  const git = (input: string, ...args: readonly string[]): string =>
    execFileSync('git', [...args], {
      ...{ input, encoding: 'utf8' },
      env: {
        PATH: process.env['PATH'],
        GIT_DIR: path,
        GIT_INDEX_FILE: index,
        GIT_CONFIG_GLOBAL: '/dev/null',
        ...FORGER,
      },
    });
  const lines = git('', 'ls-tree', '-r', 'main').trim().split('\n');
  const changed: Changed = (blobId, from, to) =>
    git(git('', 'cat-file', 'blob', blobId).replace(from, to), 'hash-object', '-w', '--stdin').trim();
  git(`${tree(lines, changed).join('\n')}\n`, 'update-index', '--index-info');
  const text = message(git('', 'log', '-1', '--format=%B', 'main'));
  const commit = git(text, 'commit-tree', git('', 'write-tree').trim(), '-p', 'main').trim();
  git('', 'update-ref', 'refs/heads/main', commit);
  return path;
}

const FORGER = {
  ...{ GIT_AUTHOR_NAME: 'eve', GIT_AUTHOR_EMAIL: 'eve@example.com' },
  ...{ GIT_COMMITTER_NAME: 'eve', GIT_COMMITTER_EMAIL: 'eve@example.com' },
};

describe('retainer backup verify', () => {
  verifies('backup:verified', 'of a data directory, of clones, and of an older commit', async () => {
    expectVerified(await retainer('backup', 'verify', '--data', data));
    expectVerified(await retainer('backup', 'verify', '--repository', bare));
    expectVerified(await retainer('backup', 'verify', newest.commit, '--repository', checkedOut));
    const older = await retainer(
      'backup',
      'verify',
      String((newest.firstOrder ?? 0) - 1),
      '--data',
      data,
      '-o',
      'json',
    );
    expect(JSON.parse(older.stdout)).toMatchObject({ isSound: true, exitCode: 0, faults: [] });
    expect(JSON.parse(older.stdout)).not.toMatchObject({ commit: newest.commit });
    expect(leftBehind()).toEqual([]);
  });

  verifies('backup:verified', 'names the place of an object that was changed', async () => {
    const ended = await retainer('backup', 'verify', '--repository', withChangedPack('changed.git'), '-o', 'json');
    expect(ended.code).toBe(5);
    expect(ended.stderr).toMatch(/ is damaged: .*; take another commit, or another copy$/m);
    expect(leftBehind()).toEqual([]);
  });

  verifies('backup:verified', 'sees a record that somebody rewrote from a place on', async () => {
    const path = join(root.path, 'rewritten');
    cpSync(data, path, { recursive: true });
    rewriteSuffix(join(path, 'journal'), 'alpha', 2);
    expect((await retainer('backup', 'now', '--data', path)).code).toBe(0);
    const ended = await retainer('backup', 'verify', '--data', path);
    expect([5, 8], ended.stdout).toContain(ended.code);
  });

  verifies('backup:verified', 'takes no commit on trust that somebody made by hand', async () => {
    const changeLine = (lines: readonly string[], changed: Changed) =>
      lines.map((line) =>
        /\tjournal\/alpha\//.test(line)
          ? line.replace(/[0-9a-f]{40}/, (blobId) => changed(blobId, 'zzz', 'zZz'))
          : line,
      );
    const without = (pattern: RegExp) => (lines: readonly string[]) => lines.filter((line) => !pattern.test(line));
    const line = /^[0-9a-f]{12,}:journal\/alpha\/\S+\.jsonl:\d+: store alpha, sequence \d+: /m;
    const rows = [
      ['changed-line', { tree: changeLine }, 5, line],
      ['no-heads', { tree: without(/\theads\.json$/) }, 5, /heads\.json: it is not there; take another commit/],
      ['no-piece', { tree: without(/\tjournal\/alpha\/.*\/0{12}\./) }, 5, /journal\/alpha\/\S+: pieces of it are not/],
      ['no-store', { tree: without(/\tjournal\/beta\//) }, 7, /store beta.*a store is missing/s],
      [
        'outside',
        { tree: (lines) => lines.map((it) => it.replace('\tworkspace/a.txt', '\tworkspace/%2E%2E/%2E%2E/%2E%2E/a')) },
        5,
        /it would be outside its folder/,
      ],
      [
        'into-git',
        { tree: (lines) => lines.map((it) => it.replace('\tworkspace/a.txt', '\tworkspace/%2E%2E/git/config')) },
        5,
        /it would be outside its folder/,
      ],
      [
        'other-heads',
        { message: (text) => text.replaceAll(/^(Head: alpha \d+) \S+/gm, `$1 ${'f'.repeat(64)}`) },
        8,
        /not the record that was seen before/,
      ],
    ] as const satisfies readonly (readonly [string, Forgery, number, RegExp])[];
    for (const [name, forgery, code, says] of rows) {
      const path = forged(name, forgery);
      const ended = await retainer('backup', 'verify', '--repository', path);
      expect(ended.code, `${name}: ${ended.stdout}${ended.stderr}`).toBe(code);
      expect(`${ended.stdout}${ended.stderr}`).toMatch(says);
      const to = join(root.path, `${name}-restored`);
      expect((await retainer('restore', '--from', path, '--to', to)).code, name).toBe(code);
      expect(existsSync(to)).toBe(false);
    }
    expect(leftBehind()).toEqual([]);
  });

  verifies('backup:restores', 'of a commit that somebody made by hand only what an agent puts into one', async () => {
    const more = (lines: readonly string[]): readonly string[] => [
      ...lines,
      ...lines.flatMap((line) =>
        ['more.txt', 'spool/in.json', 'narrative/x.md'].map((path) => line.replace(/\t.*/, `\t${path}`)),
      ),
    ];
    const to = join(root.path, 'with-more-restored');
    const ended = await retainer('restore', '--from', forged('with-more', { tree: more }), '--to', to);
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    expect(readdirSync(to).toSorted()).toEqual(['git', 'git.lock', 'journal', 'left-out.json', 'workspace']);
  });

  verifies('backup:verified', 'passes over no newer commit that another program made', async () => {
    const clone = join(root.path, 'with-foreign-tip');
    cpSync(checkedOut, clone, { recursive: true });
    const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_AUTHOR_NAME: 'x', GIT_AUTHOR_EMAIL: 'x' };
    const named = { ...env, GIT_COMMITTER_NAME: 'x', GIT_COMMITTER_EMAIL: 'x' };
    execFileSync('git', ['-C', clone, 'commit', '--quiet', '--allow-empty', '-m', 'tidied up'], { env: named });
    const ended = await retainer('backup', 'verify', '--repository', clone);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('and no agent made it') });
    expectVerified(await retainer('backup', 'verify', newest.commit, '--repository', clone));
  });

  verifies('backup:verified', 'compares the heads of an auditor, but for later ones', async () => {
    const head = newest.heads.find(({ store }) => store === 'alpha');
    if (head === undefined) throw new Error('the store has a head');
    const auditor = join(root.path, 'auditor');
    await keepHeads(auditor, [head, { ...head, store: 'beta', seq: 10_000 }]);
    const fits = await retainer('backup', 'verify', '--repository', bare, '--heads', auditor);
    expect(fits, fits.stderr).toMatchObject({ code: 0 });
    expect(fits.stdout).toMatch(/^the auditor saw records after this commit, which are not in it: beta$/m);
    const forged = join(root.path, 'forged');
    await keepHeads(forged, [{ ...head, hash: 'f'.repeat(64) }]);
    const other = await retainer('backup', 'verify', '--repository', bare, '--heads', forged);
    expect(other).toMatchObject({ code: 8, stdout: expect.stringContaining('not the record that was seen before') });
  });

  verifies('backup:named', 'and says what is no commit, no clone and no branch', async () => {
    const empty = join(root.path, 'empty');
    mkdirSync(empty);
    const rows = [
      [['abcdef12', '--repository', bare], /no commit is "abcdef12".*retainer backup log lists/],
      [['--repository', empty], /empty is no repository, no clone of one and no data directory/],
      [['--repository', join(root.path, 'nowhere')], /nowhere is no directory/],
      [['--repository', bare, '--branch', 'ada'], /holds no commit of an agent on this branch: name another one/],
      [['--repository', bare, '--data', data], /--repository means a clone here and --data another place/],
      [['--data', data, '--branch', 'ada'], /--branch means one of a clone/],
      [['--data', data, '--heads', empty], /is no directory of an auditor/],
    ] as const;
    for (const [args, says] of rows) {
      const ended = await retainer('backup', 'verify', ...args);
      expect(ended, says.source).toMatchObject({ code: 1, stderr: expect.stringMatching(says) });
    }
  });
});

describe('retainer journal of a clone', () => {
  verifies('backup:clone-verified', 'verifies its commit, bare and checked out, from any place in it', async () => {
    for (const place of [bare, checkedOut, join(checkedOut, 'journal')]) {
      const ended = await retainer('journal', 'verify', place);
      expectVerified(ended);
      expect(ended.stderr).toMatch(/is a copy in a git repository: its commit is verified, not the files beside it/);
    }
    expect((await retainer('journal', 'verify', withChangedPack('bad.git'))).code).toBe(5);
  });

  verifies('backup:clone-verified', 'takes its pieces for no record', async () => {
    const pieces = join(root.path, 'pieces');
    cpSync(checkedOut, pieces, { recursive: true, filter: (path) => !path.endsWith('.git') });
    const ended = await retainer('journal', 'verify', pieces);
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/without the repository: give a clone of it/),
    });
    for (const words of [
      ['repair', checkedOut, '--yes'],
      ['show', checkedOut],
      ['show', join(pieces, 'journal')],
    ] as const) {
      const refused = await retainer('journal', ...words);
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/rebuild the record first, with retainer restore --from/),
      });
    }
    const status = gitSays(data, '--git-dir', join(checkedOut, '.git'), '--work-tree', checkedOut, 'status', '--short');
    expect(status).toBe('');
  });
});
