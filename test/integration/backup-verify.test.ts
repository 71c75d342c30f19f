/** `retainer backup verify`, and `retainer journal verify` of clones: the real program and real clones. */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { CommitEntry } from '@retainer/agent-pod/backup/history';
import { gitSays, openDataDirectory } from '../support/backups.ts';
import { keepHeads } from '../support/kept-heads.ts';
import { retainer, type Ended } from '../support/retainer-command.ts';
import { rewriteSuffix } from '../support/sample-journal.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
const data = join(root.path, 'data');
const bare = join(root.path, 'clone.git');
const checkedOut = join(root.path, 'clone');
let newest: CommitEntry;

beforeAll(async () => {
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
afterAll(() => root.remove());

const leftBehind = (): readonly string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('retainer-verify-'));

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

/** A repository whose newest commit is of a record that somebody rewrote after the one before it. */
async function withRewrittenRecord(name: string): Promise<string> {
  const path = join(root.path, name);
  cpSync(data, path, { recursive: true });
  rewriteSuffix(join(path, 'journal'), 'alpha', 2);
  expect((await retainer('backup', 'now', '--data', path)).code).toBe(0);
  return path;
}

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

  verifies('backup:verified', 'names commit, file and line of a record that was rewritten', async () => {
    const path = await withRewrittenRecord('rewritten');
    const ended = await retainer('backup', 'verify', '--data', path);
    expect(ended.code, ended.stdout).not.toBe(0);
    expect(ended.stdout).toMatch(/^[0-9a-f]{12}:journal\S* *.*(?:alpha|beta)/m);
    expect(ended.stdout).toMatch(/restore another commit: retainer backup log lists them$/m);
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
