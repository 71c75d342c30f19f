import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inTemporaryDirectory } from '../../../test/support/agents.ts';
import { verifies } from '../../../test/verifies.ts';
import { seedWorkspace } from './seed-workspace.ts';

const file = (path: string) => ({ path, read: () => Promise.resolve(Buffer.from('seed')) });

describe('seedWorkspace', () => {
  verifies('agent-cluster:seeds', 'puts files where they are absent, and keeps what is there', () =>
    inTemporaryDirectory(async (directory) => {
      const workspace = join(directory, 'workspace');
      await mkdir(join(workspace, 'data'), { recursive: true });
      await writeFile(join(workspace, 'data/mine.csv'), 'mine');
      const seeded = await seedWorkspace(workspace, [file('data/mine.csv'), file('data/new.csv'), file('top')]);
      expect(seeded).toEqual({ copied: ['data/new.csv', 'top'], refused: [] });
      expect(await readFile(join(workspace, 'data/mine.csv'), 'utf8')).toBe('mine');
      expect(await readFile(join(workspace, 'data/new.csv'), 'utf8')).toBe('seed');
      expect(await seedWorkspace(workspace, [file('top')])).toEqual({ copied: [], refused: [] });
    }),
  );

  verifies('agent-cluster:seeds', 'follows no link out of the workspace', () =>
    inTemporaryDirectory(async (directory) => {
      const workspace = join(directory, 'workspace');
      const outside = join(directory, 'journal');
      await mkdir(outside);
      await mkdir(workspace);
      await symlink(outside, join(workspace, 'data'));
      await symlink(join(directory, 'nowhere'), join(workspace, 'dangling'));
      await writeFile(join(workspace, 'plain'), '');
      await symlink(join(outside, 'x'), join(workspace, 'top.seed.tmp'));
      const paths = ['data/a', 'data/deep/a', 'dangling/a', 'plain/a', 'top'];
      const { copied, refused } = await seedWorkspace(workspace, paths.map(file));
      expect(copied).toEqual(['top']);
      expect(refused).toEqual(['data/a', 'data/deep/a', 'dangling/a', 'plain/a']);
      await expect(readFile(join(outside, 'x'))).rejects.toThrow('ENOENT');
    }),
  );

  it('makes no directory where there is nothing to put', () =>
    inTemporaryDirectory(async (directory) => {
      expect(await seedWorkspace(join(directory, 'workspace'), [])).toEqual({ copied: [], refused: [] });
    }));
});
