import { describe, expect, it } from 'vitest';
import { FaultFileSystem } from '../../../test/support/journal/fault-file-system.ts';
import { SimFileSystem } from '../../../test/support/journal/sim-file-system.ts';
import { verifies } from '../../../test/verifies.ts';
import type { FileSystem } from './file-system.ts';
import { guardSyncs, SyncFailedError } from './sync-guard.ts';

const path = '/deeds.jsonl';

/** A disk whose first sync of a file, or of a directory, fails; the kernel calls the next one a success. */
function disk(operation: 'sync' | 'syncDirectory', code: string): { guarded: FileSystem; faulty: FaultFileSystem } {
  const faulty = new FaultFileSystem(new SimFileSystem().mount());
  faulty.failNext({ operation, code });
  return { guarded: guardSyncs(faulty.view()), faulty };
}

describe('guardSyncs', () => {
  for (const code of ['EIO', 'ENOSPC'])
    verifies(
      'journal:first-error-ends-writing',
      `lets no sync of a file follow one that failed with ${code}`,
      async () => {
        const { guarded, faulty } = disk('sync', code);
        const file = await guarded.open(path, 'create');
        await file.write(Buffer.from('a'));
        await expect(file.sync()).rejects.toMatchObject({ name: 'SyncFailedError', code });
        const again = await guarded.open(path, 'append');
        for (const handle of [file, again]) await expect(handle.sync()).rejects.toThrow(SyncFailedError);
        expect(faulty.retriedSyncs).toEqual([]);
      },
    );

  it('lets no sync of a directory follow one that failed', async () => {
    const { guarded } = disk('syncDirectory', 'EIO');
    await expect(guarded.syncDirectory('/')).rejects.toThrow(SyncFailedError);
    await expect(guarded.syncDirectory('/')).rejects.toThrow(SyncFailedError);
  });

  it('knows a later file of the same name for another one', async () => {
    const { guarded } = disk('sync', 'EIO');
    const file = await guarded.open(path, 'create');
    await expect(file.sync()).rejects.toThrow(SyncFailedError);
    await guarded.unlink(path);
    await expect((await guarded.open(path, 'create')).sync()).resolves.toBeUndefined();
  });
});
