import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { temporaryDirectory, toolWorld, type ToolWorld } from '../../../test/support/tool-world.ts';
import { verifies } from '../../../test/verifies.ts';
import { NAMES_MAX } from '../parts/files/find-files.ts';

function worldWith(files: readonly string[]): ToolWorld {
  const world = toolWorld();
  for (const file of files) {
    mkdirSync(path.join(world.workspace, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(world.workspace, file), 'x');
  }
  return world;
}

const tree = ['b.ts', 'src/a.ts', 'src/a.test.ts', 'src/deep/er/b.ts', 'docs/a.md', 'caf\u00e9.md'];

const rows: readonly (readonly [what: string, input: object, found: readonly string[]])[] = [
  ['a name', { glob: 'b.ts' }, ['b.ts  1', 'src/deep/er/b.ts  1']],
  ['a pattern of names', { glob: 'a.*' }, ['docs/a.md  1', 'src/a.test.ts  1', 'src/a.ts  1']],
  ['one character', { glob: '?.ts' }, ['b.ts  1', 'src/a.ts  1', 'src/deep/er/b.ts  1']],
  ['a directory', { glob: 'deep' }, ['src/deep/']],
  ['a path, and nothing below what it names', { glob: 'src/*' }, ['src/a.test.ts  1', 'src/a.ts  1', 'src/deep/']],
  ['any depth', { glob: 'src/**/*.ts' }, ['src/a.test.ts  1', 'src/a.ts  1', 'src/deep/er/b.ts  1']],
  ['a path below a directory', { glob: 'deep/**/b.ts', path: 'src' }, ['src/deep/er/b.ts  1']],
  ['a name below a directory', { glob: '*.ts', path: './src//deep' }, ['src/deep/er/b.ts  1']],
  ['another Unicode form', { glob: 'cafe\u0301.md' }, ['caf\u00e9.md  1']],
  ['another case', { glob: 'B.TS' }, []],
];
for (const [what, input, found] of rows)
  verifies('tools:find-bounded', `finds ${what}, sorted`, async () => {
    const outcome = await worldWith(tree).call('find_files', input);
    expect(outcome).toMatchObject({ status: 'Ok', text: [...found, `[${found.length} found]`].join('\n') });
  });

it('says that braces stand for themselves, and what is wrong with a glob', async () => {
  const world = worldWith(tree);
  expect((await world.call('find_files', { glob: '*.{ts,md}' })).text).toContain('use two globs');
  expect(await world.call('find_files', { glob: '../*' })).toMatchObject({ status: 'Error' });
  expect((await world.call('find_files', { glob: 'src/a**' })).text).toContain('** must stand alone');
  expect((await world.call('find_files', { glob: '*', path: 'b.ts' })).text).toBe('b.ts is not a directory.');
});

verifies('tools:find-bounded', 'shows no more than its limit, and says so', async () => {
  const world = worldWith(Array.from({ length: NAMES_MAX + 5 }, (_, n) => `f${n}`));
  const lines = (await world.call('find_files', { glob: 'f*' })).text.split('\n');
  expect(lines).toHaveLength(NAMES_MAX + 1);
  expect(lines.at(-1)).toBe(
    `[${NAMES_MAX + 5} found; only the first ${NAMES_MAX} are shown: use a narrower glob or path]`,
  );
});

verifies('tools:workspace-confined', 'finds nothing outside, and follows no link out', async () => {
  const outside = temporaryDirectory();
  writeFileSync(path.join(outside, 'secret.txt'), 'CANARY');
  const world = worldWith(['in/a.txt']);
  symlinkSync(outside, path.join(world.workspace, 'out'));
  expect((await world.call('find_files', { glob: 'secret*' })).text).toBe('[0 found]');
  expect((await world.call('find_files', { glob: '*', path: 'out' })).status).toBe('Error');
  expect((await world.call('find_files', { glob: 'out' })).text).toContain('out  (a link)');
});

verifies('tools:find-bounded', 'finds by a name what is listed under it', async () => {
  const part = fc.stringMatching(/^[ab]{1,2}$/);
  const files = fc.uniqueArray(
    fc.tuple(part, part).map(([a, b]) => `d${a}/${b}`),
    { minLength: 1, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(files, part, async (names, wanted) => {
      const found = await worldWith(names).call('find_files', { glob: wanted });
      const expected = names.filter((name) => name.endsWith(`/${wanted}`)).toSorted();
      expect(found.text).toBe([...expected.map((it) => `${it}  1`), `[${expected.length} found]`].join('\n'));
    }),
    { numRuns: 30 },
  );
});
