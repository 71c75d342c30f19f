import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect } from 'vitest';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { Clearable } from '@retainer/mind/parts/files/scratch';
import { temporaryDirectory } from '../../../test/support/tool-world.ts';
import { verifies } from '../../../test/verifies.ts';
import { clearScratch } from './clear-scratch.ts';

let base = '';
let workspace = '';

beforeEach(() => {
  base = temporaryDirectory();
  workspace = path.join(base, 'workspace');
  put('out/sum.txt', '6');
});

function put(name: string, content: string): void {
  const place = path.join(workspace, name);
  mkdirSync(path.dirname(place), { recursive: true });
  writeFileSync(place, content);
}

const left = (): readonly string[] =>
  readdirSync(workspace, { withFileTypes: true, recursive: true })
    .map((entry) => path.relative(workspace, path.join(entry.parentPath, entry.name)))
    .toSorted();

function clear(directories: readonly string[], stays: readonly string[] = [], digest?: string) {
  const clearable = (at: string): Clearable | undefined => {
    if (stays.includes(at)) return undefined;
    return digest === undefined ? {} : { digest };
  };
  return clearScratch(workspace, { directories, clearable });
}

describe('scratch of an ended run', () => {
  verifies('sandbox:scratch-cleared', 'goes with its directories, and is counted', async () => {
    put('.cache/a/one', '1');
    put('.cache/two', '22');
    symlinkSync('two', path.join(workspace, '.cache/link'));
    const { paths, bytes } = await clear(['.cache', 'not-there/.tmp']);
    expect(paths.toSorted()).toEqual(['.cache/a/one', '.cache/link', '.cache/two']);
    expect(bytes).toBe('1'.length + '22'.length + 'two'.length);
    expect(left()).toEqual(['out', 'out/sum.txt']);
  });

  verifies('sandbox:scratch-cleared', 'leaves what may not be cleared, and the directories above it', async () => {
    put('.cache/a/one', '1');
    put('.cache/b/two', '2');
    mkdirSync(path.join(workspace, '.cache/empty-of-somebody'));
    const stays = ['.cache/a/one', '.cache/empty-of-somebody'];
    expect((await clear(['.cache'], stays)).paths).toEqual(['.cache/b/two']);
    expect(left()).toEqual(['.cache', '.cache/a', '.cache/a/one', '.cache/empty-of-somebody', 'out', 'out/sum.txt']);
  });

  verifies('sandbox:scratch-cleared', 'goes only with the bytes that the record has', async () => {
    put('.cache/mine', 'mine');
    put('.cache/written-since', 'of somebody else');
    symlinkSync('theirs', path.join(workspace, '.cache/link'));
    expect((await clear(['.cache'], [], sha256Hex('mine'))).paths).toEqual(['.cache/mine']);
    expect(readFileSync(path.join(workspace, '.cache/written-since'), 'utf8')).toBe('of somebody else');
  });

  verifies('sandbox:scratch-cleared', 'goes with directories that hold nothing', async () => {
    mkdirSync(path.join(workspace, '.cache/a/b'), { recursive: true });
    mkdirSync(path.join(workspace, '.tmp'));
    expect((await clear(['.cache', '.tmp'])).paths).toEqual([]);
    expect(left()).toEqual(['out', 'out/sum.txt']);
  });

  verifies('sandbox:scratch-cleared', 'goes with a link only by the text that the record has', async () => {
    for (const name of ['mine', 'other']) {
      put('.cache/file', 'x');
      symlinkSync(name, path.join(workspace, `.cache/${name}`));
    }
    expect((await clear(['.cache'], [], sha256Hex('mine'))).paths).toEqual(['.cache/mine']);
  });

  verifies('sandbox:scratch-cleared', 'is not followed out of the workspace', async () => {
    mkdirSync(path.join(base, 'outside/.cache'), { recursive: true });
    writeFileSync(path.join(base, 'outside/.cache/secret'), 's');
    symlinkSync(path.join(base, 'outside/.cache'), path.join(workspace, '.cache'));
    symlinkSync(path.join(base, 'outside'), path.join(workspace, 'src'));
    put('.tmp/a', '1');
    symlinkSync(path.join(base, 'outside'), path.join(workspace, '.tmp/link'));
    await clear(['.cache', 'src/.cache', '.tmp']);
    expect(existsSync(path.join(base, 'outside/.cache/secret'))).toBe(true);
    expect(existsSync(path.join(workspace, '.tmp'))).toBe(false);
  });
});
