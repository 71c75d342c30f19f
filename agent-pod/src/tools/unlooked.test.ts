/** What was not looked at is not empty: it is counted, and named with its reason. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { testSeed } from '../../../test/support/seed.ts';
import { Seeded } from '../../../test/support/seeded.ts';
import { toolWorld } from '../../../test/support/tool-world.ts';

const COMPOSED = 'caf\u00e9.txt';
const DECOMPOSED = 'cafe\u0301.txt';

const utf16 = (text: string, isBig = false): Buffer => {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
  return isBig ? bytes.swap16() : bytes;
};

describe('a search', () => {
  /** Each has the needle in its last line. @returns bytes, and whether a search finds it */
  const plain = ['plain', (needle: string) => Buffer.from(`a\n${needle}\n`), true] as const;
  const files: readonly (readonly [string, (needle: string) => Buffer, boolean])[] = [
    plain,
    ['without end', (needle) => Buffer.from(`a\n${needle}`), true],
    ['UTF-16, little', (needle) => utf16(`größe\r\n${needle}\r\n`), true],
    ['UTF-16, big', (needle) => utf16(`größe\n${needle}`, true), true],
    ['a large UTF-16', (needle) => utf16(`${'ü\n'.repeat(200_000)}${needle}`), true],
    ['a zero byte', (needle) => Buffer.from(`a\0\n${needle}\n`), false],
    ['UTF-16 without a mark', (needle) => Buffer.from(`a\n${needle}\n`, 'utf16le'), false],
    ['a line of 3 MB', (needle) => Buffer.from(`${'x'.repeat(3_000_000)} ${needle}\n`), false],
  ];

  it('searches every file, or names it with its reason', async () => {
    const random = new Seeded(testSeed);
    for (let round = 0; round < 25; round += 1) {
      const world = toolWorld();
      const [found, named]: [string[], string[]] = [[], []];
      for (let at = 0; at < 1 + random.below(5); at += 1) {
        const [, make, isFound] = files[random.below(files.length)] ?? plain;
        const directory = ['', 'd/', 'd/é/', 'd/e\u0301/'][random.below(4)] ?? '';
        const name = `${directory}${['f', 'ü', 'u\u0308'][random.below(3)]}${at}.txt`;
        mkdirSync(path.dirname(path.join(world.workspace, name)), { recursive: true });
        writeFileSync(path.join(world.workspace, name), make('needle'));
        (isFound ? found : named).push(name);
      }
      const { text } = await world.call('search_files', { pattern: 'needle' });
      const hits = text.split('\n').flatMap((line) => /^(.*):\d+: needle$/.exec(line)?.[1] ?? []);
      expect(hits.toSorted()).toEqual(found.toSorted());
      expect(text).toContain(`[${found.length} matching lines in `);
      expect(/(\d+) not searched, or not whole/.exec(text)?.[1] ?? '0').toBe(String(named.length));
      for (const name of named)
        expect(text).toMatch(new RegExp(`${name} \\((it is not text|of line 1 only 100000 characters)`));
    }
  });

  it('says which bytes are no text, and that links were not followed', async () => {
    const world = toolWorld();
    writeFileSync(path.join(world.workspace, 'latin.txt'), Buffer.from('größe\n', 'latin1'));
    symlinkSync('latin.txt', path.join(world.workspace, 'link'));
    expect((await world.call('search_files', { pattern: 'größe' })).text).toBe(
      '[0 matching lines in 1 files; 1 not searched, or not whole: latin.txt (bytes that are no text in UTF-8); 1 links or special files were not followed]',
    );
  });

  it('names five, and counts all', async () => {
    const world = toolWorld();
    for (let at = 0; at < 8; at += 1) writeFileSync(path.join(world.workspace, `b${at}`), '\0');
    expect((await world.call('search_files', { pattern: 'x' })).text).toMatch(
      /^\[0 matching lines in 0 files; 8 not searched, or not whole: b0 \(it is not text\), .*b4 \(it is not text\), and 3 more\]$/,
    );
  });
});

describe('a file in UTF-16', () => {
  it.each([false, true])('is read as its text, in pages', async (isBig) => {
    const world = toolWorld();
    const text = 'Größe 🙂\n'.repeat(3000);
    writeFileSync(path.join(world.workspace, 'a.txt'), utf16(text, isBig));
    let read = '';
    for (let page = 1; page <= Math.ceil(Buffer.byteLength(text) / 16_000); page += 1)
      read += (await world.call('read_file', { path: 'a.txt', page })).text.replace(/^\[.*\n/, '');
    expect(read).toBe(text);
  });
});

describe('a name from a Mac', () => {
  it.each([
    ['a file', DECOMPOSED],
    ['a directory', `re\u0301sume\u0301/${DECOMPOSED}`],
  ])('is the entry that its NFC names: %s', async (_, name) => {
    const world = toolWorld();
    const place = path.join(world.workspace, name);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, 'before\n');
    for (const asked of [name, name.normalize('NFC')]) {
      expect(await world.call('read_file', { path: asked })).toMatchObject({ status: 'Ok', text: 'before\n' });
      expect((await world.call('search_files', { path: asked, pattern: 'before' })).text).toContain('1 matching lines');
      expect((await world.call('find_files', { glob: path.basename(asked) })).text).toContain('[1 found]');
      if (asked.includes('/'))
        expect((await world.call('list_files', { path: path.dirname(asked) })).text).toContain('  7');
    }
    const edit = { path: name.normalize('NFC'), edits: [{ old: 'before', new: 'edited' }] };
    expect(await world.call('edit_file', edit)).toMatchObject({ status: 'Ok' });
    expect(readFileSync(place, 'utf8')).toBe('edited\n');
    expect(await world.call('write_file', { path: name, content: 'after' })).toMatchObject({ status: 'Ok' });
    expect(readFileSync(place, 'utf8')).toBe('after');
    expect(readdirSync(path.dirname(place))).toEqual([path.basename(name)]);
  });

  it('that stands beside its other spelling is told, and neither is taken', async () => {
    const world = toolWorld();
    for (const name of [COMPOSED, DECOMPOSED]) writeFileSync(path.join(world.workspace, name), name);
    const calls = [
      ['read_file', { path: COMPOSED }],
      ['write_file', { path: DECOMPOSED, content: 'x' }],
      ['edit_file', { path: COMPOSED, edits: [{ old: 'a', new: 'b' }] }],
      ['search_files', { path: COMPOSED, pattern: 'x' }],
    ] as const;
    for (const [tool, input] of calls) {
      const { status, text } = await world.call(tool, input);
      expect([tool, status, text]).toEqual([tool, 'Error', expect.stringContaining('is the name of 2 entries')]);
      expect(text).toContain('"cafe\\u{301}.txt" and "caf\\u{e9}.txt"');
    }
    expect((await world.call('search_files', { pattern: 'caf' })).text).toContain('2 matching lines in 2 files');
    for (const name of [COMPOSED, DECOMPOSED])
      expect(readFileSync(path.join(world.workspace, name), 'utf8')).toBe(name);
  });

  it('makes a new file under the name that was asked for', async () => {
    const world = toolWorld();
    expect(await world.call('write_file', { path: `new/${DECOMPOSED}`, content: 'x' })).toMatchObject({ status: 'Ok' });
    expect(readdirSync(path.join(world.workspace, 'new'))).toEqual([COMPOSED]);
  });
});

describe('a locked directory', () => {
  const nobody = 65_534;
  const canChange = process.getuid?.() === 0 && typeof process.seteuid === 'function';

  it.skipIf(!canChange)('is not empty, and is named', async () => {
    const world = toolWorld();
    mkdirSync(path.join(world.workspace, 'open'));
    mkdirSync(path.join(world.workspace, 'locked'), { mode: 0o700 });
    writeFileSync(path.join(world.workspace, 'locked/a.txt'), 'needle');
    writeFileSync(path.join(world.workspace, 'secret.txt'), 'needle', { mode: 0o600 });
    for (let at = world.workspace; at.startsWith('/tmp/'); at = path.dirname(at)) chmodSync(at, 0o755);
    process.seteuid?.(nobody);
    try {
      const listed = await world.call('list_files', { path: 'locked' });
      expect(listed).toMatchObject({
        status: 'Error',
        text: '[1 could not be looked into: locked (the permissions do not allow it)]',
      });
      expect((await world.call('list_files', {})).text).toContain('[1 could not be looked into: locked (');
      expect((await world.call('list_files', { path: 'open' })).text).toBe('open is empty.');
      expect((await world.call('find_files', { glob: 'a.txt' })).text).toBe(
        '[0 found; 1 could not be looked into: locked (the permissions do not allow it)]',
      );
      expect((await world.call('search_files', { pattern: 'needle' })).text).toBe(
        '[0 matching lines in 0 files; 2 not searched, or not whole: secret.txt (cannot be opened: the permissions do not allow it), locked (the permissions do not allow it)]',
      );
    } finally {
      process.seteuid?.(0);
    }
  });
});
