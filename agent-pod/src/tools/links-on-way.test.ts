import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect } from 'vitest';
import { temporaryDirectory } from '../../../test/support/tool-world.ts';
import { verifies } from '../../../test/verifies.ts';
import { wayTo } from './links-on-way.ts';

let root = '';

beforeEach(() => {
  const base = temporaryDirectory();
  root = path.join(base, 'workspace');
  mkdirSync(path.join(root, 'dir/deep'), { recursive: true });
  mkdirSync(path.join(base, 'outside'));
  writeFileSync(path.join(root, 'dir/deep/file'), 'x');
  // What would be found if the way were taken to end inside.
  mkdirSync(path.join(root, '-beside'));
  writeFileSync(path.join(root, '-beside/x'), 'x');
  for (const [name, text] of Object.entries({
    'to-file': 'dir/deep/file',
    'to-dir': 'dir',
    'dir/up': '../to-file',
    'dir/deep/root': '../..',
    chained: 'to-dir/up',
    absolute: `${root}/dir/deep`,
    'to-itself': 'to-itself',
    one: 'other',
    other: 'one',
    dangling: 'nothing',
    out: '../outside',
    above: '../dir',
    'dir/absolute': `${root}/dir/deep`,
    'out-and-in': '../workspace/dir',
    'to-host': '/etc',
    'to-beside': `${root}-beside/x`,
    dots: './/dir/./deep/../deep/file',
  }))
    symlinkSync(text, path.join(root, name));
  for (let at = 0; at < 41; at += 1) symlinkSync(at === 0 ? 'dir' : `hop-${at - 1}`, path.join(root, `hop-${at}`));
});

describe('the links on the way to a place', () => {
  const ways: readonly (readonly [name: string, links: readonly string[], place: string])[] = [
    ['dir/deep/file', [], 'dir/deep/file'],
    ['.', [], '.'],
    ['to-file', ['to-file'], 'dir/deep/file'],
    ['to-dir/deep/file', ['to-dir'], 'dir/deep/file'],
    ['chained', ['chained', 'to-dir', 'dir/up', 'to-file'], 'dir/deep/file'],
    ['absolute/file', ['absolute'], 'dir/deep/file'],
    ['dir/absolute/file', ['dir/absolute'], 'dir/deep/file'],
    ['dir/deep/root/dir/deep/root/to-dir', ['dir/deep/root', 'to-dir'], 'dir'],
    ['dots', ['dots'], 'dir/deep/file'],
    ['hop-39', Array.from({ length: 40 }, (_, at) => `hop-${39 - at}`), 'dir'],
  ];
  for (const [name, links, place] of ways)
    verifies('provenance:links-labelled', `are those that the system follows: ${name}`, async () => {
      const way = await wayTo(root, name);
      expect([way?.links.map((it) => it.path), way?.place]).toEqual([links, place]);
      expect(realpathSync(path.join(root, name))).toBe(path.join(root, place));
    });

  for (const name of [
    'to-itself',
    'one',
    'dangling',
    'none',
    'out',
    'above',
    'out-and-in',
    'to-host',
    'to-beside',
    'hop-40',
  ])
    verifies('provenance:links-labelled', `end nowhere, or outside: ${name}`, async () => {
      expect(await wayTo(root, name)).toBeUndefined();
    });
});
