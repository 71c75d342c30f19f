import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { sha256Hex } from '@retainer/contract/std/hash';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory, toolWorld, type ToolWorld } from '../../../test/support/tool-world.ts';
import { verifies } from '../../../test/verifies.ts';
import { PAGE_BYTES } from '../parts/files/read-file.ts';
import { MAX_MATCHES, MAX_SEARCHED_BYTES } from './search-workspace.ts';
import { openWorkspaceFile, writeWorkspaceFile } from './workspace-file.ts';

/** A workspace with a secret beside it, and links that lead there. */
function trappedWorld(): ToolWorld & { readonly outside: string } {
  const world = toolWorld();
  const outside = temporaryDirectory();
  writeFileSync(path.join(outside, 'secret.txt'), 'CANARY');
  mkdirSync(path.join(world.workspace, 'real'));
  writeFileSync(path.join(world.workspace, 'real/a.txt'), 'inside');
  const link = (target: string, name: string): void => symlinkSync(target, path.join(world.workspace, name));
  link(outside, 'out-directory');
  link(path.join(outside, 'secret.txt'), 'out-file');
  link('../../../../../../etc/passwd', 'relative-out');
  link('out-directory', 'out-chain');
  link('loop-b', 'loop-a');
  link('loop-a', 'loop-b');
  link('real', 'in-directory');
  link('real/a.txt', 'in-file');
  link('/proc/self/root', 'root');
  link('missing', 'dangling');
  const sibling = `${world.workspace}-sibling`;
  mkdirSync(sibling);
  onTestFinished(() => rmSync(sibling, { recursive: true }));
  writeFileSync(path.join(sibling, 'secret.txt'), 'CANARY');
  link(sibling, 'sibling');
  return { ...world, outside };
}

const ESCAPES = [
  'out-file',
  'sibling/secret.txt',
  'out-directory/secret.txt',
  'out-chain/secret.txt',
  'relative-out',
  'loop-a',
  'root/etc/passwd',
  '../secret.txt',
  '/etc/passwd',
  'real/../../x',
  'real/../out-file',
  'a\0b',
];

describe('reading', () => {
  verifies('tools:workspace-confined', 'reaches nothing outside the workspace', async () => {
    const world = trappedWorld();
    for (const name of ESCAPES) {
      const parsed = world.registry.parse('read_file', { path: name });
      if (!parsed.ok) continue;
      const outcome = await world.call('read_file', { path: name });
      expect(outcome, name).toMatchObject({ status: 'Error' });
      expect(outcome.text).not.toContain('CANARY');
      expect(outcome.text, 'tells no path of the machine').not.toContain(world.outside);
    }
    for (const name of ['sibling', 'out-directory', 'out-chain', 'root', 'out-file']) {
      expect((await world.call('list_files', { path: name })).status, name).toBe('Error');
      expect((await world.call('search_files', { path: name, pattern: 'CANARY|root' })).status, name).toBe('Error');
    }
    expect((await world.call('search_files', { pattern: 'CANARY' })).text).toContain('0 matching lines');
    expect((await world.call('list_files', {})).text).not.toContain('secret.txt');
  });

  it('follows links that stay inside', async () => {
    const world = trappedWorld();
    expect(await world.call('read_file', { path: 'in-file' })).toMatchObject({ status: 'Ok', text: 'inside' });
    expect(await world.call('read_file', { path: 'in-directory/a.txt' })).toMatchObject({
      status: 'Ok',
      text: 'inside',
    });
  });

  it('does not wait for a pipe and refuses what is no file', async () => {
    const world = trappedWorld();
    execFileSync('sh', ['-c', 'mkfifo pipe'], { cwd: world.workspace });
    expect(await world.call('read_file', { path: 'pipe' })).toMatchObject({
      status: 'Error',
      text: 'pipe is not a regular file.',
    });
    expect((await world.call('search_files', { path: 'pipe', pattern: 'x' })).status).toBe('Error');
    expect((await world.call('read_file', { path: 'real' })).text).toContain('is a directory');
    expect((await world.call('read_file', { path: 'nothing' })).text).toBe(
      'nothing cannot be opened: there is no such file or directory.',
    );
  });

  it('stays inside while a directory is swapped for a link again and again', async () => {
    const world = trappedWorld();
    mkdirSync(path.join(world.workspace, 'swap'));
    writeFileSync(path.join(world.workspace, 'swap/secret.txt'), 'harmless');
    const swap = path.join(world.workspace, 'swap');
    const parked = path.join(world.workspace, 'parked');
    for (let round = 0; round < 150; round += 1) {
      const reading = openWorkspaceFile(world.workspace, 'swap/secret.txt');
      const writing = writeWorkspaceFile(world.workspace, 'swap/new.txt', Buffer.from('x'));
      renameSync(swap, parked);
      symlinkSync(world.outside, swap);
      const opened = await reading;
      await writing;
      if (opened.ok) {
        expect(await opened.value.handle.readFile('utf8')).toBe('harmless');
        await opened.value.handle.close();
      }
      rmSync(swap);
      renameSync(parked, swap);
    }
    expect(readdirSync(world.outside)).toEqual(['secret.txt']);
  });

  it('goes through a file page by page without loss, whatever lies across a page break', async () => {
    const world = toolWorld();
    // Every position that a break can have within a character of two, three and four bytes.
    for (const prefix of ['', 'a', 'ab', 'abc']) {
      for (const character of ['ü', '€', '🙂']) {
        const text = prefix + character.repeat(12_000);
        writeFileSync(path.join(world.workspace, 'long.txt'), text);
        const texts: string[] = [];
        const pages = Math.ceil(Buffer.byteLength(text) / PAGE_BYTES);
        for (let page = 1; page <= pages; page += 1) {
          const outcome = await world.call('read_file', { path: 'long.txt', page });
          expect(outcome.text).toContain(`[page ${page} of ${pages} of long.txt`);
          texts.push(outcome.text.slice(outcome.text.indexOf('\n') + 1));
        }
        expect(texts.join('') === text, `${prefix}${character}`).toBe(true);
        expect((await world.call('read_file', { path: 'long.txt', page: pages + 1 })).text).toContain(
          `has ${pages} pages`,
        );
      }
    }
  });

  it('tells empty and binary files', async () => {
    const world = toolWorld();
    writeFileSync(path.join(world.workspace, 'empty'), '');
    writeFileSync(path.join(world.workspace, 'image'), Buffer.from([1, 0, 2]));
    expect(await world.call('read_file', { path: 'empty' })).toMatchObject({ status: 'Ok', text: 'empty is empty.' });
    expect(await world.call('read_file', { path: 'image' })).toMatchObject({
      status: 'Error',
      text: expect.stringContaining('not text (3 bytes)'),
    });
  });
});

describe('writing', () => {
  verifies('tools:workspace-confined', 'changes nothing outside and goes through no link', async () => {
    const world = trappedWorld();
    const throughLinks = [
      'out-directory/x',
      'out-chain/x',
      'root/tmp/x',
      'in-directory/x',
      'in-directory/deep/x',
      'out-file',
      'in-file',
      'dangling',
      'loop-a',
      'out-directory/deep/er/x',
    ];
    for (const name of throughLinks) {
      expect(await world.call('write_file', { path: name, content: 'x' }), name).toMatchObject({ status: 'Error' });
    }
    expect(readdirSync(world.outside)).toEqual(['secret.txt']);
    expect(readFileSync(path.join(world.outside, 'secret.txt'), 'utf8')).toBe('CANARY');
    expect(readFileSync(path.join(world.workspace, 'real/a.txt'), 'utf8')).toBe('inside');
    expect(readdirSync(path.join(world.workspace, 'real'))).toEqual(['a.txt']);
    for (const name of ['../x', '/etc/x', '.', '/workspace', 'a/..', 'a\0']) {
      expect(world.registry.parse('write_file', { path: name, content: '' }), name).toMatchObject({ ok: false });
    }
  });

  it('makes directories, replaces whole files and leaves nothing behind', async () => {
    const world = toolWorld();
    const outcome = await world.call('write_file', { path: './a//b/c.txt', content: 'héllo' });
    expect(outcome).toMatchObject({
      status: 'Ok',
      text: 'wrote 6 bytes to a/b/c.txt',
      files: [{ path: 'a/b/c.txt', sizeBytes: 6, sha256: sha256Hex('héllo') }],
    });
    chmodSync(path.join(world.workspace, 'a/b/c.txt'), 0o755);
    await world.call('write_file', { path: 'a/b/c.txt', content: '' });
    expect(readFileSync(path.join(world.workspace, 'a/b/c.txt'), 'utf8')).toBe('');
    expect(lstatSync(path.join(world.workspace, 'a/b/c.txt')).mode & 0o777).toBe(0o755);
    expect(readdirSync(path.join(world.workspace, 'a/b'))).toEqual(['c.txt']);
    expect(await world.call('write_file', { path: 'a/b', content: '' })).toMatchObject({
      status: 'Error',
      text: 'a/b is a directory.',
    });
    expect(await world.call('write_file', { path: 'a/b/c.txt/d', content: '' })).toMatchObject({ status: 'Error' });
  });

  it('never writes through a hard link into another file', async () => {
    const world = trappedWorld();
    linkSync(path.join(world.outside, 'secret.txt'), path.join(world.workspace, 'hard'));
    await world.call('write_file', { path: 'hard', content: 'new' });
    expect(readFileSync(path.join(world.outside, 'secret.txt'), 'utf8')).toBe('CANARY');
    expect(readFileSync(path.join(world.workspace, 'hard'), 'utf8')).toBe('new');
  });

  it('takes names of the longest length and refuses longer ones in words', async () => {
    const world = toolWorld();
    const name = 'a-long-name-'.repeat(22).slice(0, 255);
    expect(await world.call('write_file', { path: name, content: 'x' })).toMatchObject({ status: 'Ok' });
    expect(existsSync(path.join(world.workspace, name))).toBe(true);
    expect(world.registry.parse('write_file', { path: `${name}n`, content: 'x' })).toMatchObject({
      ok: false,
      error: expect.stringContaining('255 bytes'),
    });
  });
});

describe('listing', () => {
  it('shows the nearest first, sizes, and hostile names on one line', async () => {
    const world = toolWorld();
    mkdirSync(path.join(world.workspace, 'b/c'), { recursive: true });
    writeFileSync(path.join(world.workspace, 'b/c/deep.txt'), '12345');
    writeFileSync(path.join(world.workspace, 'a\nb/  99'.replace('/', '_')), '');
    symlinkSync('b', path.join(world.workspace, 'z'));
    expect((await world.call('list_files', {})).text.split('\n')).toEqual([
      'a\\u{a}b_  99  0',
      'b/',
      'z  (a link)',
      'b/c/',
      'b/c/deep.txt  5',
    ]);
    expect((await world.call('list_files', { path: 'b/c' })).text).toBe('b/c/deep.txt  5');
  });

  it('stops at its limit and says so', async () => {
    const world = toolWorld();
    for (let n = 0; n < 450; n += 1) writeFileSync(path.join(world.workspace, `f${n}`), '');
    const lines = (await world.call('list_files', {})).text.split('\n');
    expect(lines).toHaveLength(401);
    expect(lines.at(-1)).toContain('more than 400 entries');
  });
});

describe('searching', () => {
  it('finds lines with their numbers, over chunk borders and at the end of a file', async () => {
    const world = toolWorld();
    const lines = Array.from({ length: 60_000 }, (_, n) => (n % 20_000 === 19_999 ? `needle ${n}` : `hay ${n}`));
    writeFileSync(path.join(world.workspace, 'big.txt'), lines.join('\r\n'));
    writeFileSync(path.join(world.workspace, 'small.txt'), 'Needle without end');
    const outcome = await world.call('search_files', { pattern: '(?i)needle' });
    expect(outcome.text.split('\n')).toEqual([
      'big.txt:20000: needle 19999',
      'big.txt:40000: needle 39999',
      'big.txt:60000: needle 59999',
      'small.txt:1: Needle without end',
      '[4 matching lines in 2 files]',
    ]);
    expect((await world.call('search_files', { pattern: '^needle 39999$', path: 'big.txt' })).text).toContain(
      '1 matching lines in 1 files',
    );
  });

  verifies('tools:search-bounded', 'is bounded in bytes, lines and line length, and says so', async () => {
    const world = toolWorld();
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    const big = path.join(world.workspace, 'one-line');
    writeFileSync(big, '');
    for (let n = 0; n < MAX_SEARCHED_BYTES / chunk.length + 4; n += 1) writeFileSync(big, chunk, { flag: 'a' });
    const outcome = await world.call('search_files', { pattern: 'y$' });
    expect(outcome.text).toBe(
      `[0 matching lines in 1 files; stopped after ${MAX_SEARCHED_BYTES} bytes: use a narrower path, or code; 1 not searched, or not whole: one-line (of line 1 only 100000 characters); 1 files were not read to their end]`,
    );
    rmSync(big);
    writeFileSync(path.join(world.workspace, 'many'), 'match\n'.repeat(MAX_MATCHES * 3));
    const many = await world.call('search_files', { pattern: 'match' });
    expect(many.text).toContain(`stopped at ${MAX_MATCHES} lines`);
    expect(many.text.split('\n')).toHaveLength(MAX_MATCHES + 1);
  });

  it('passes binary files over and refuses patterns that are not RE2', async () => {
    const world = toolWorld();
    writeFileSync(path.join(world.workspace, 'binary'), Buffer.from('match\0'));
    expect((await world.call('search_files', { pattern: 'match' })).text).toContain('0 matching lines');
    expect(await world.call('search_files', { pattern: '(?=x)' })).toMatchObject({
      status: 'Error',
      text: expect.stringContaining('not valid RE2'),
    });
  });
});

describe('memory', () => {
  it('does not claim that a fact is kept which the record holds otherwise', async () => {
    const permitOf = (world: ReturnType<typeof toolWorld>, value: string) =>
      world.permit('memory_write', { key: 'a', value });
    const world = toolWorld({ asStored: (value) => value.replace('hunter2', '[secret:pass]') });
    const idle = new AbortController().signal;
    for (const value of ['plain', 'hunter2']) await world.executor.execute(permitOf(world, value), idle);
    expect(await world.executor.lookup(permitOf(world, 'hunter2'), idle)).toBeUndefined();
    expect(await world.executor.lookup(permitOf(world, '[secret:pass]'), idle)).toMatchObject({ status: 'Ok' });
  });

  it('gives back what was kept, by key', async () => {
    const world = toolWorld();
    await world.call('memory_write', { key: 'b', value: 'two\nlines' });
    await world.call('memory_write', { key: 'a.x', value: 'one' });
    expect((await world.call('memory_read', {})).text).toBe('a.x = "one"\nb = "two\\nlines"');
    expect((await world.call('memory_read', { prefix: 'a' })).text).toBe('a.x = "one"');
    expect((await world.call('memory_read', { prefix: 'z' })).text).toBe('No fact is kept under that.');
  });
});
