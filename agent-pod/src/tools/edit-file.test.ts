import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { sha256Hex } from '@retainer/contract/std/hash';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toolWorld, type ToolWorld } from '../../../test/support/tool-world.ts';
import { verifies } from '../../../test/verifies.ts';
import { appliedBefore, applyEdits, type Edit } from './edit-text.ts';
import { TEXT_CHARACTERS_MAX } from './text-file.ts';

const TEXT = 'one\ntwo two\nthree\n\nfive\nthree\n';
const idle = new AbortController().signal;

function worldWith(text: string | Buffer, name = 'a.md'): ToolWorld {
  const world = toolWorld();
  writeFileSync(path.join(world.workspace, name), text);
  return world;
}

const textIn = (world: ToolWorld, name = 'a.md'): string => readFileSync(path.join(world.workspace, name), 'utf8');

describe('edit_file', () => {
  const made: readonly (readonly [what: string, edits: readonly Edit[], after: string, lines: string])[] = [
    ['the only occurrence', [{ old: 'five', new: '5' }], TEXT.replace('five', '5'), 'line 5'],
    ['a text over lines', [{ old: 'one\ntwo', new: '1\n1b\n2' }], '1\n1b\n2 two\nthree\n\nfive\nthree\n', 'lines 1-3'],
    ['nothing instead', [{ old: 'one\n', new: '' }], TEXT.slice(4), 'line 1'],
    [
      'what a pattern would misread',
      [{ old: 'five', new: '$&$1\\n' }],
      TEXT.replace('five', () => '$&$1\\n'),
      'line 5',
    ],
    ['a line that is there twice', [{ old: 'three', new: '3', fromLine: 6 }], `${TEXT.slice(0, -6)}3\n`, 'line 6'],
    [
      'a range with its last line break',
      [{ old: 'three\n\n', new: '', fromLine: 3, toLine: 4 }],
      'one\ntwo two\nfive\nthree\n',
      'line 3',
    ],
    ['an empty line', [{ old: '', new: 'four', fromLine: 4 }], 'one\ntwo two\nthree\nfour\nfive\nthree\n', 'line 4'],
    [
      'several, named as they were before, in any order',
      [
        { old: 'three', new: '3', fromLine: 6, toLine: 6 },
        { old: 'one\n', new: '0\n1\n' },
        { old: 'two two', new: 'one' },
      ],
      '0\n1\none\nthree\n\nfive\n3\n',
      'lines 1-2, 3, 7',
    ],
  ];
  for (const [what, edits, after, lines] of made)
    verifies('tools:edit-all-or-none', `replaces ${what}`, async () => {
      const world = worldWith(TEXT);
      const outcome = await world.call('edit_file', { path: './a.md', edits });
      const count = `${edits.length} edit${edits.length === 1 ? '' : 's'}`;
      expect(outcome).toMatchObject({
        status: 'Ok',
        text: `made ${count} in a.md, now at ${lines}; ${after.length} bytes`,
        files: [{ path: 'a.md', sizeBytes: after.length, sha256: sha256Hex(after) }],
        label: { source: { kind: 'Tool' }, trust: 'Trusted', readers: 'Everyone' },
      });
      expect(textIn(world)).toBe(after);
    });

  const refused: readonly (readonly [what: string, edits: readonly Edit[], told: RegExp])[] = [
    [
      'text that is not there',
      [{ old: 'fivve', new: '5' }],
      /occurs 0 times; the nearest is at line 5: at line 5 the file has "five\\nthree\\n" where the old text has "fivve"/,
    ],
    ['text like nothing', [{ old: 'ZZZZ', new: '5' }], /occurs 0 times; nothing in the file is like it/],
    ['text twice in a line', [{ old: 'two', new: '2' }], /occurs 2 times, at line 2;/],
    ['text in two lines', [{ old: 'three', new: '3' }], /occurs 2 times, at lines 3, 6; .*fromLine and toLine/],
    [
      'lines of another text',
      [{ old: 'five', new: '5', fromLine: 4 }],
      /line 4 is not the old text; at line 4 the file has "\\nfive.*" where the old text has "five"; .*1 time, at line 5/,
    ],
    ['fewer lines than given', [{ old: 'one', new: '1', fromLine: 1, toLine: 2 }], /the old text ends within line 1;/],
    [
      'lines that are not there',
      [{ old: 'x', new: '', fromLine: 6, toLine: 7 }],
      /no line 7: the file ends with line 6/,
    ],
    [
      'edits that overlap',
      [
        { old: 'two\nthree', new: '' },
        { old: 'one\ntwo two', new: '' },
      ],
      /edits 1 and 2 overlap at line 2/,
    ],
    [
      'one right edit and one wrong',
      [
        { old: 'five', new: '5' },
        { old: 'six', new: '6' },
      ],
      /edit 2 of 2: the old text occurs 0 times/,
    ],
  ];
  for (const [what, edits, told] of refused)
    verifies('tools:edit-nearest', `writes nothing on ${what}, and says why`, async () => {
      const world = worldWith(TEXT);
      const outcome = await world.call('edit_file', { path: 'a.md', edits });
      expect(outcome).toMatchObject({ status: 'Error', files: [], text: expect.stringMatching(told) });
      expect(outcome.text).toMatch(/^Nothing was written to a\.md\.\n/);
      expect(textIn(world)).toBe(TEXT);
      expect(readdirSync(world.workspace)).toEqual(['a.md']);
    });

  const nearest: readonly (readonly [what: string, text: string, old: string, told: string])[] = [
    [
      'a blank where a tab is',
      'if (a) {\n\treturn b;\n}\n',
      'if (a) {\n  return b;',
      String.raw`the nearest is at line 1: at line 2 the file has "if (a) {\n\treturn b;\n}\n" where the old text has "if (a) {\n  return b;"`,
    ],
    [
      'a part of a long line',
      `${'x'.repeat(300)} total = sum(a, b) ${'y'.repeat(300)}\n`,
      'total = sum(a, c)',
      `at line 1 the file has "total = sum(a, b) ${'y'.repeat(87)}" where the old text has "total = sum(a, c)"`,
    ],
    [
      'more than the file has',
      'alpha\nbeta',
      'alpha\nbeta\ngamma',
      String.raw`the file ends where the old text has "alpha\nbeta\ngamma"`,
    ],
    [
      'other ends of lines',
      'alpha\r\nbeta\r\n',
      'alpha\nbeta',
      String.raw`lines of the file end in \r\n, those of the old text in \n`,
    ],
  ];
  for (const [what, text, old, told] of nearest)
    verifies('tools:edit-nearest', `shows the difference: ${what}`, () => {
      expect(applyEdits(text, [{ old, new: 'x' }])).toMatchObject({ ok: false, error: expect.stringContaining(told) });
    });

  verifies('tools:edit-nearest', 'is bounded for texts of any size and shape, in time as well', () => {
    for (const text of ['a'.repeat(1_000_000), 'a\n'.repeat(500_000), `${'\u202e'.repeat(1000)}\n`.repeat(900)]) {
      const old = `${text.slice(0, 400_000)}b`;
      const edits = Array.from({ length: 50 }, (_, n) => ({ old: n === 0 ? 'a' : old, new: `${n}` }));
      const edited = applyEdits(text, edits);
      expect(edited.ok ? '' : edited.error.length).toBeLessThan(6000);
    }
    expect(applyEdits('a'.repeat(1000), [{ old: 'a', new: 'b' }])).toMatchObject({
      error: expect.stringContaining('occurs more than 100 times, at line 1;'),
    });
  });
});

describe('a file that edit_file', () => {
  const others: readonly (readonly [string, string | Buffer, RegExp])[] = [
    ['finds binary', Buffer.from([120, 0, 1]), /a\.md is not text; use code/],
    ['finds in another encoding', Buffer.from([120, 0xff, 0xfe]), /a\.md is not text; use code/],
    ['finds too large', `x${' '.repeat(TEXT_CHARACTERS_MAX)}`, /a\.md is longer than 1048576 characters/],
    [
      'would make too large',
      `x${' '.repeat(TEXT_CHARACTERS_MAX - 1)}`,
      /a\.md would be longer than 1048576 characters/,
    ],
  ];
  it.each(others)('%s stays as it is', async (_, content, told) => {
    const world = worldWith(content);
    const outcome = await world.call('edit_file', { path: 'a.md', edits: [{ old: 'x', new: 'xy' }] });
    expect(outcome).toMatchObject({ status: 'Error', text: expect.stringMatching(told), label: { trust: 'Trusted' } });
    // Of megabytes, equality alone: a comparison that could show them takes half a minute.
    expect(readFileSync(path.join(world.workspace, 'a.md')).equals(Buffer.from(content))).toBe(true);
  });

  it('does not find is not made', async () => {
    const world = toolWorld();
    const outcome = await world.call('edit_file', { path: 'b/a.md', edits: [{ old: 'x', new: 'y' }] });
    expect(outcome).toMatchObject({ status: 'Error', text: expect.stringContaining('there is no such file') });
    expect(existsSync(path.join(world.workspace, 'b'))).toBe(false);
  });

  it('changes keeps its mode, its line breaks and its byte order mark', async () => {
    const world = worldWith('\ufeffa\r\nb\r\n');
    chmodSync(path.join(world.workspace, 'a.md'), 0o755);
    await world.call('edit_file', { path: 'a.md', edits: [{ old: 'b', new: 'c', fromLine: 2 }] });
    expect(textIn(world)).toBe('\ufeffa\r\nc\r\n');
    expect(lstatSync(path.join(world.workspace, 'a.md')).mode & 0o777).toBe(0o755);
  });

  verifies('tools:workspace-confined', 'reaches only through a link stays as it is', async () => {
    const world = worldWith('inside', 'real.md');
    mkdirSync(path.join(world.workspace, 'real'));
    writeFileSync(path.join(world.workspace, 'real/a.md'), 'inside');
    const outside = worldWith('inside').workspace;
    const links = [
      ['link.md', 'real.md'],
      ['linked', 'real'],
      ['out.md', path.join(outside, 'a.md')],
      ['out', outside],
    ] as const;
    for (const [name, target] of links) symlinkSync(target, path.join(world.workspace, name));
    for (const name of ['link.md', 'linked/a.md', 'out.md', 'out/a.md']) {
      const outcome = await world.call('edit_file', { path: name, edits: [{ old: 'inside', new: 'changed' }] });
      expect(outcome, name).toMatchObject({ status: 'Error', files: [] });
    }
    for (const file of ['real.md', 'real/a.md', 'out.md'])
      expect(readFileSync(path.join(world.workspace, file), 'utf8'), file).toBe('inside');
    for (const name of ['../x', '/etc/passwd', '.'])
      expect(world.registry.parse('edit_file', { path: name, edits: [{ old: 'a', new: 'b' }] }).ok, name).toBe(false);
  });
});

describe('arguments of edit_file', () => {
  it.each([
    ['no edit', []],
    ['too many', Array.from({ length: 51 }, () => ({ old: 'a', new: 'b' }))],
    ['an edit that changes nothing', [{ old: 'a', new: 'a' }]],
    ['empty old text anywhere', [{ old: '', new: 'a' }]],
    ['a last line without a first', [{ old: 'a', new: 'b', toLine: 2 }]],
    ['lines in the wrong order', [{ old: 'a', new: 'b', fromLine: 3, toLine: 2 }]],
    ['line 0', [{ old: 'a', new: 'b', fromLine: 0 }]],
    ['another member', [{ old: 'a', new: 'b', all: true }]],
  ])('are refused: %s', (_, edits) => {
    expect(toolWorld().registry.parse('edit_file', { path: 'a.md', edits })).toMatchObject({ ok: false });
  });

  it('name the file as read and written, in one spelling', () => {
    const parsed = toolWorld().registry.parse('edit_file', {
      path: '/workspace/./a//b',
      edits: [{ old: 'a', new: 'b' }],
    });
    expect(parsed).toMatchObject({ value: { effectClass: 1, readPaths: ['a/b'], writePaths: ['a/b'], domains: [] } });
  });
});

/** Offsets of a text in another one, by trying each. */
function placesOf(text: string, old: string): readonly number[] {
  return Array.from({ length: text.length }, (_, at) => at).filter((at) => text.startsWith(old, at));
}

const letters = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n', '🙂'), maxLength: 30 });
const newText = fc.string({ unit: fc.constantFrom('a', 'b', 'x', '\n', 'ü'), maxLength: 6 });
const oldText = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '🙂'), minLength: 1, maxLength: 5 });

describe('for any text', () => {
  verifies('tools:edit-all-or-none', 'one edit is made if and only if its old text occurs once', () => {
    fc.assert(
      fc.property(letters, oldText, newText, (text, old, replacement) => {
        const edited = applyEdits(text, [{ old, new: replacement }]);
        const [at = 0, ...others] = placesOf(text, old);
        const isOnce = others.length === 0 && text.includes(old);
        expect(edited.ok).toBe(isOnce);
        if (edited.ok) expect(edited.value.text).toBe(text.slice(0, at) + replacement + text.slice(at + old.length));
      }),
    );
  });

  verifies('tools:edit-all-or-none', 'a range is replaced as lines of a list are', () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'b', '🙂'), maxLength: 3 });
    const given = fc.record({
      lines: fc.array(line, { minLength: 1, maxLength: 6 }),
      from: fc.nat(),
      to: fc.nat(),
      put: newText,
    });
    fc.assert(
      fc.property(
        given,
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        ({ lines, from, to, put }, lineBreak, isWhole) => {
          const [first, last] = [from % lines.length, to % lines.length].toSorted((a, b) => a - b) as [number, number];
          const old = lines.slice(first, last + 1).join(lineBreak) + (isWhole ? lineBreak : '');
          const text = lines.map((it) => it + lineBreak).join('');
          const edited = applyEdits(text, [{ old, new: put, fromLine: first + 1, toLine: last + 1 }]);
          const head = lines.slice(0, first).map((it) => it + lineBreak);
          const tail = lines.slice(last + 1).map((it) => it + lineBreak);
          expect(edited).toMatchObject({
            ok: true,
            value: { text: [...head, put, isWhole ? '' : lineBreak, ...tail].join('') },
          });
        },
      ),
    );
  });

  const piece = fc.record({ kept: fc.string({ unit: fc.constantFrom('a', '\n', 'ß') }), put: newText });
  const patch = fc.array(piece, { minLength: 1, maxLength: 8 }).chain((pieces) =>
    fc.record({
      pieces: fc.constant(pieces),
      order: fc.shuffledSubarray(
        pieces.map((_, n) => n),
        { minLength: pieces.length },
      ),
    }),
  );

  verifies(
    'tools:edit-all-or-none',
    'what is read after a patch is what the patch says, in any order of the edits',
    async () => {
      await fc.assert(
        fc.asyncProperty(patch, async ({ pieces, order }) => {
          const mark = (n: number): string => `<${n}>`;
          const world = worldWith(pieces.map(({ kept }, n) => kept + mark(n)).join(''));
          const edits = order.map((n) => ({ old: mark(n), new: pieces[n]?.put ?? '' }));
          const expected = pieces.map(({ kept, put }) => kept + put).join('');
          expect(await world.call('edit_file', { path: 'a.md', edits })).toMatchObject({ status: 'Ok' });
          const read = await world.call('read_file', { path: 'a.md' });
          expect(read.text).toBe(expected === '' ? 'a.md is empty.' : expected);
        }),
        { numRuns: 30 },
      );
    },
  );

  verifies('tools:lookup-after-crash', 'a crash before the edit is never taken for one after it', () => {
    const edits = fc.array(
      fc.record({ old: oldText, new: newText }).filter((it) => it.old !== it.new),
      { minLength: 1, maxLength: 3 },
    );
    fc.assert(
      fc.property(letters, edits, (text, patchOf) => {
        const edited = applyEdits(text, patchOf);
        if (!edited.ok) return;
        expect(appliedBefore(text, patchOf)).toBeUndefined();
        const found = appliedBefore(edited.value.text, patchOf);
        if (found !== undefined) expect(found.text).toBe(edited.value.text);
      }),
      { numRuns: 500 },
    );
  });
});

describe('after a crash', () => {
  const rows: readonly (readonly [what: string, edits: readonly Edit[], isFound: boolean])[] = [
    ['its new text shows that it was made', [{ old: 'five', new: 'cinq' }], true],
    [
      'lines and text together show it',
      [
        { old: 'three', new: 'trois', fromLine: 3 },
        { old: 'one', new: 'un\nun' },
      ],
      true,
    ],
    ['it may be made again, so nobody knows', [{ old: 'five', new: 'five\nsix' }], false],
    ['it left nothing that could show it', [{ old: 'five\n', new: '' }], false],
    ['its new text was there before', [{ old: 'five', new: 'one' }], false],
  ];
  for (const [what, edits, isFound] of rows)
    verifies('tools:lookup-after-crash', `of an edit: ${what}`, async () => {
      const world = worldWith(TEXT);
      const permit = world.permit('edit_file', { path: 'a.md', edits });
      expect(await world.executor.lookup(permit, idle)).toBeUndefined();
      expect(textIn(world)).toBe(TEXT);
      const ran = await world.executor.execute(permit, idle);
      expect(ran.status).toBe('Ok');
      const after = textIn(world);
      const found = await world.executor.lookup(permit, idle);
      expect(found === undefined).toBe(!isFound);
      if (found !== undefined) expect(found).toMatchObject({ text: ran.text, files: ran.files, label: ran.label });
      expect(textIn(world)).toBe(after);
    });
});
