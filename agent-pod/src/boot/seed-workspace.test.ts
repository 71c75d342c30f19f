import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inTemporaryDirectory } from '../../../test/support/agents.ts';
import { Projections } from '@retainer/mind/projections/projections';
import { verifies } from '../../../test/verifies.ts';
import { seedRecords } from '../loop/file-records.ts';
import { seedWorkspace, presentSeeds } from './seed-workspace.ts';

const file = (path: string) => ({ path, read: () => Promise.resolve(Buffer.from('seed')), trusted: true });

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

describe('the record of seeds', () => {
  verifies('provenance:files-labelled', "has the operator's word for bytes that stand, once, and follows it", () =>
    inTemporaryDirectory(async (directory) => {
      const workspace = join(directory, 'workspace');
      await seedWorkspace(workspace, [file('data/kept'), file('changed'), file('linked')]);
      await writeFile(join(workspace, 'changed'), 'mine');
      await rm(join(workspace, 'linked'));
      await symlink('data/kept', join(workspace, 'linked'));
      const known = new Projections();
      const note = async (trusted: boolean): Promise<readonly string[]> => {
        const seeds = ['data/kept', 'changed', 'linked', 'absent'].map((path) => ({ ...file(path), trusted }));
        const records = seedRecords(await presentSeeds(workspace, seeds), known.states.files);
        for (const record of records) known.take({ ...record, seq: 0, timeMs: 1 });
        return records.map(({ payload }) => (payload as { readonly path: string }).path);
      };
      expect(await note(true)).toEqual(['data/kept']);
      expect(known.states.files.get('data/kept')).toMatchObject({ trusted: true, why: 'Seed' });
      expect(await note(true)).toEqual([]);
      expect(await note(false)).toEqual(['data/kept']);
      expect(known.states.files.get('data/kept')?.trusted).toBe(false);
    }),
  );

  verifies('provenance:files-labelled', 'takes back no label that the agent or a person gave', () => {
    const seed = { path: 'f', digest: 'a'.repeat(64), sizeBytes: 1, trusted: true };
    const row = { ...seed, readers: ['owner'], atMs: 1, trusted: false } as const;
    for (const why of ['Write', 'Program', 'Person'] as const)
      expect(seedRecords([seed], new Map([['f', { ...row, why }]]))).toEqual([]);
    const other = { ...row, why: 'Write', digest: 'b'.repeat(64) } as const;
    expect(seedRecords([seed], new Map([['f', other]]))).toHaveLength(1);
  });
});
