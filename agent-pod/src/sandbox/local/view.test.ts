import { existsSync, mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { chmodSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { sha256Hex } from '@retainer/contract/std/hash';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/tool-world.ts';
import { verifies } from '../../../../test/verifies.ts';
import { ProtectedPaths } from '../protected-paths.ts';
import { newRoom, type RunRoom } from '../run-room.ts';
import { finishTaking, stageChanges, type Staged } from './take-changes.ts';
import { View } from './view.ts';

let base: string;
let workspace: string;
let view: View;
beforeEach(async () => {
  base = temporaryDirectory();
  workspace = path.join(base, 'workspace');
  mkdirSync(workspace);
  view = await View.create(base, undefined);
});

function put(root: string, files: Readonly<Record<string, string>>): void {
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(root, file), content);
  }
}

/** Every file with its content, and every link with where it leads. */
function held(root: string): Readonly<Record<string, string>> {
  const entries = readdirSync(root, { withFileTypes: true, recursive: true });
  const pairs = entries.flatMap((entry): readonly (readonly [string, string])[] => {
    const place = path.join(entry.parentPath, entry.name);
    const name = path.relative(root, place);
    if (entry.isSymbolicLink()) return [[name, `-> ${readlinkSync(place)}`]];
    return entry.isFile() ? [[name, readFileSync(place, 'utf8')]] : [];
  });
  return Object.fromEntries(pairs.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

interface TakeOptions {
  readonly kept?: readonly string[];
  readonly shown?: readonly string[];
  readonly room?: Pick<RunRoom, 'files' | 'bytes'>;
}

function stage({ kept = [], shown, room = { files: 100, bytes: 10_000 } }: TakeOptions = {}): Promise<Staged> {
  return stageChanges(base, 'key', {
    ...{ view, workspace, room: { ...newRoom(), ...room }, isTrusted: false },
    protectedPaths: new ProtectedPaths(kept),
    shown: shown === undefined ? undefined : new Set(shown),
  });
}

describe('a view', () => {
  it('holds what is shown and nothing else, with times and rights', async () => {
    put(workspace, { 'a.txt': 'a', 'deep/in/b.sh': 'b', 'deep/hidden': 'c', 'other/d': 'd' });
    chmodSync(path.join(workspace, 'deep/in/b.sh'), 0o700);
    utimesSync(path.join(workspace, 'a.txt'), 1000, 1000);
    symlinkSync('a.txt', path.join(workspace, 'link'));
    await view.fill(workspace, ['link', 'deep/in/b.sh', 'a.txt', 'not-there']);
    expect(held(view.directory)).toEqual({ 'a.txt': 'a', 'deep/in/b.sh': 'b', link: '-> a.txt' });
    expect(statSync(path.join(view.directory, 'a.txt')).mtimeMs).toBe(1_000_000);
    expect(statSync(path.join(view.directory, 'deep/in/b.sh')).mode & 0o777).toBe(0o755);
    expect((await view.changes()).changes).toEqual([]);
  });

  it('is filled again by what differs alone', async () => {
    put(workspace, { same: 's', changed: 'old', gone: 'g', 'dir/later-hidden': 'h', 'was-file': 'f' });
    await view.fill(workspace, undefined);
    const inode = statSync(path.join(view.directory, 'same')).ino;
    put(workspace, { changed: 'new', added: 'n' });
    rmSync(path.join(workspace, 'gone'));
    rmSync(path.join(workspace, 'was-file'));
    put(workspace, { 'was-file/is-directory': 'd' });
    await view.fill(workspace, ['same', 'changed', 'gone', 'added', 'was-file/is-directory']);
    const left = { same: 's', changed: 'new', added: 'n', 'was-file/is-directory': 'd' };
    expect(held(view.directory)).toEqual(left);
    expect(existsSync(path.join(view.directory, 'dir'))).toBe(false);
    expect(statSync(path.join(view.directory, 'same')).ino).toBe(inode);
    expect((await view.changes()).changes).toEqual([]);
  });

  it('follows no link of the workspace on its way to a file', async () => {
    put(base, { 'outside/secret': 'secret' });
    symlinkSync(path.join(base, 'outside'), path.join(workspace, 'dir'));
    await view.fill(workspace, ['dir/secret', 'dir']);
    expect(held(view.directory)).toEqual({ dir: `-> ${path.join(base, 'outside')}` });
  });
});

describe('what a program changed', () => {
  beforeEach(async () => {
    put(workspace, { keep: 'keep', edit: 'old', gone: 'gone', 'dir/one': '1', 'dir/two': '2' });
  });

  verifies('sandbox:takes-changes', 'comes into the workspace, and the view is equal to it', async () => {
    await view.fill(workspace, undefined);
    put(view.directory, { edit: 'new', 'made/file': 'made', 'run.sh': 'x' });
    chmodSync(path.join(view.directory, 'run.sh'), 0o755);
    mkdirSync(path.join(view.directory, 'empty'));
    symlinkSync('edit', path.join(view.directory, 'link'));
    for (const name of ['gone', 'dir']) rmSync(path.join(view.directory, name), { recursive: true });
    const staged = await stage();
    expect(held(workspace)).toMatchObject({ edit: 'old', gone: 'gone' });
    expect(staged.changes).toEqual({
      files: [
        { path: 'edit', sizeBytes: 3, sha256: sha256Hex('new') },
        { path: 'made/file', sizeBytes: 4, sha256: sha256Hex('made') },
        { path: 'run.sh', sizeBytes: 1, sha256: sha256Hex('x') },
      ],
      links: [{ path: 'link', sizeBytes: 4, sha256: sha256Hex('edit') }],
      gone: ['gone', 'dir/two', 'dir/one'],
      ...{ refused: [], unlisted: 0, leftOutFiles: 0, leftOutBytes: 0 },
      added: { files: 5, bytes: 9, scratch: [] },
    });
    expect(await staged.carryOut()).toBe(true);
    expect(held(workspace)).toEqual({ edit: 'new', keep: 'keep', link: '-> edit', 'made/file': 'made', 'run.sh': 'x' });
    expect(existsSync(path.join(workspace, 'dir'))).toBe(false);
    expect(existsSync(path.join(workspace, 'empty'))).toBe(true);
    expect(statSync(path.join(workspace, 'run.sh')).mode & 0o100).toBe(0o100);
    await view.fill(workspace, undefined);
    expect((await view.changes()).changes).toEqual([]);
    expect(readdirSync(base).toSorted()).toEqual([path.basename(view.directory), 'workspace']);
  });

  const forbidden: readonly (readonly [string, (view: string) => void, readonly string[]])[] = [
    ['a kept file that is written', (at) => put(at, { keep: 'forged' }), ['keep']],
    ['a kept file that is removed', (at) => rmSync(path.join(at, 'keep')), ['keep']],
    ['a hidden file that is written', (at) => put(at, { hidden: 'forged' }), ['hidden']],
    ['a file in the place of a directory with hidden files', (at) => put(at, { closed: 'forged' }), ['closed']],
    ['a file below a hidden file', (at) => put(at, { 'hidden/below': 'forged' }), ['hidden/below']],
    [
      'a link in the place of a directory with a kept file',
      (at) => {
        rmSync(path.join(at, 'dir'), { recursive: true });
        symlinkSync('/tmp', path.join(at, 'dir'));
      },
      ['dir/one', 'dir'],
    ],
  ];
  for (const [name, change, refused] of forbidden)
    verifies('sandbox:takes-changes', `${name}: is refused and told`, async () => {
      put(workspace, { hidden: 'hidden', 'closed/hidden': 'hidden' });
      const before = held(workspace);
      const shown = ['keep', 'edit', 'gone', 'dir/one', 'dir/two'];
      await view.fill(workspace, shown);
      change(view.directory);
      const staged = await stage({ kept: ['keep', 'dir/one'], shown });
      expect(staged.changes.refused).toEqual(refused);
      expect(await staged.carryOut()).toBe(false);
      expect({ ...held(workspace), 'dir/two': '2' }).toEqual(before);
    });

  verifies('sandbox:takes-changes', 'goes no further than the room of its run', async () => {
    await view.fill(workspace, undefined);
    put(view.directory, { big: 'x'.repeat(60), edit: 'y'.repeat(40), more: 'z', most: 'z' });
    const room = { files: 2, bytes: 90 };
    const staged = await stage({ room });
    await staged.carryOut();
    expect(staged.changes).toMatchObject({ leftOutFiles: 2, leftOutBytes: 41 });
    expect(Object.keys(held(workspace))).toEqual(['big', 'dir/one', 'dir/two', 'edit', 'gone', 'keep', 'more']);
    expect(readFileSync(path.join(workspace, 'edit'), 'utf8')).toBe('old');
  });

  it('is dropped where its call was given up, and stays so after a restart', async () => {
    put(workspace, { 'a.txt': 'a' });
    await view.fill(workspace, ['a.txt']);
    put(view.directory, { 'a.txt': 'late' });
    const staged = await stage();
    await staged.drop();
    for (const name of readdirSync(base).filter((it) => it.startsWith('take-')))
      await finishTaking(path.join(base, name), () => Promise.resolve(true));
    expect(readFileSync(path.join(workspace, 'a.txt'), 'utf8')).toBe('a');
  });

  verifies(
    'sandbox:takes-changes',
    'is carried out after a kill if the result was kept, and else dropped',
    async () => {
      for (const isKept of [true, false]) {
        await view.fill(workspace, undefined);
        put(view.directory, { edit: `${isKept}`, fresh: `${isKept}` });
        await stage();
        const [staging = ''] = readdirSync(base).filter((name) => name.startsWith('take-'));
        await finishTaking(path.join(base, staging), (key) => Promise.resolve(isKept && key === 'key'));
        expect(readFileSync(path.join(workspace, 'edit'), 'utf8')).toBe('true');
        expect(readdirSync(base).filter((name) => name.startsWith('take-'))).toEqual([]);
        view = await View.create(base, undefined);
      }
    },
  );
});
