import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory, toolWorld } from '../../../test/support/tool-world.ts';
import { verifies } from '../../../test/verifies.ts';
import { compileGlob } from '@retainer/mind/gate/glob';
import { KEPT_PATHS_MAX, keptFiles, keptNotes } from './kept-files.ts';

function workspaceWith(files: readonly string[]): string {
  const workspace = temporaryDirectory();
  for (const file of files) {
    mkdirSync(path.join(workspace, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(workspace, file), 'x');
  }
  return workspace;
}

function kept(
  files: readonly string[],
  paths: readonly string[],
  globs: readonly string[] = [],
): Promise<readonly string[]> {
  const compiled = globs.map(compileGlob).flatMap((glob) => (glob.ok ? [glob.value] : []));
  const freeFiles = { paths: new Set(paths), globs: compiled };
  return keptFiles({ workspaceDirectory: workspaceWith(files), freeFiles, readOnlyPaths: ['sealed'] });
}

const files = ['readme.md', 'plans/a.md', 'plans/deep/b.md', 'out/old.txt', 'out/more/c.txt'];

const without = (...free: string[]): readonly string[] => files.filter((it) => !free.includes(it));

describe('what a program finds read-only', () => {
  const cases: readonly (readonly [string, readonly string[], readonly string[], readonly string[]])[] = [
    ['nothing is free', [], [], files],
    ['a file is free', ['plans/a.md'], [], without('plans/a.md')],
    ['a file is free that is not there yet', ['out/new.txt'], [], files],
    ['a directory is free', [], ['out/**'], without('out/old.txt', 'out/more/c.txt')],
    ['files of a kind are free', [], ['plans/*.md'], without('plans/a.md')],
    ['a bare name of a directory is no file', ['plans'], [], files],
  ];
  for (const [name, paths, globs, expected] of cases)
    verifies('provenance:scripts-keep-files', name, async () => {
      expect((await kept(files, paths, globs)).toSorted()).toEqual(expected.toSorted());
    });

  it('leaves out what holds no file, and links, whose own place is elsewhere', async () => {
    const workspaceDirectory = workspaceWith(['a/b.md']);
    mkdirSync(path.join(workspaceDirectory, 'empty/deep'), { recursive: true });
    symlinkSync('/etc', path.join(workspaceDirectory, 'link'));
    const free = { paths: new Set<string>(), globs: [] };
    expect(await keptFiles({ workspaceDirectory, freeFiles: free, readOnlyPaths: [] })).toEqual(['a/b.md']);
    expect(await keptFiles({ workspaceDirectory, freeFiles: undefined, readOnlyPaths: [] })).toEqual([]);
  });

  it('keeps whole directories where the single files are too many, and then all', async () => {
    const many = Array.from({ length: KEPT_PATHS_MAX + 1 }, (_, at) => `f${at}`);
    expect(await kept(['a/x', 'sealed/y', ...many.map((it) => `in/deep/${it}`)], ['in/free'])).toEqual([
      'a',
      'in/deep',
    ]);
    expect(await kept(['a/x', ...many.map((it) => `in/${it}`)], ['in/free'])).toEqual(['a', 'in']);
    expect(await kept(many, ['free'])).toEqual(['.']);
    expect(keptNotes(['.'])).toHaveLength(1);
    expect(keptNotes([])).toEqual([]);
  });

  verifies(
    'provenance:scripts-keep-files',
    'what a program made is free for the next, and it is told what is not',
    async () => {
      const world = toolWorld({ script: () => Promise.resolve({ exitCode: 1 }) });
      for (const file of files) {
        mkdirSync(path.join(world.workspace, path.dirname(file)), { recursive: true });
        writeFileSync(path.join(world.workspace, file), 'x');
      }
      const read = { items: [], addresses: [], standing: [], asked: 'Read readme.md', written: ['out/old.txt'] };
      const run = async (parts: object) => {
        const permit = world.permit('bash', { script: 'x' }, { read, autonomous: true, ...parts });
        const outcome = await world.executor.execute(permit, new AbortController().signal);
        return { paths: world.sandboxRequests.at(-1)?.readOnlyPaths.toSorted(), text: outcome.text };
      };
      const { paths, text } = await run({});
      expect(paths).toEqual(['out/more/c.txt', 'plans/a.md', 'plans/deep/b.md']);
      expect(text).toContain('"plans/a.md"');
      expect((await run({ autonomous: false })).paths).toEqual([]);
    },
  );
});
