import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '@retainer/contract/std/hash';
import { SimFileSystem } from '../../../test/support/journal/sim-file-system.ts';
import { Blobs, readBlob } from './blobs.ts';
import type { BlobRef } from './journal.ts';

const written = Buffer.from('the reply that was given');

async function kept(): Promise<{ sim: SimFileSystem; ref: BlobRef; path: string }> {
  const sim = new SimFileSystem();
  const disk = sim.mount();
  await disk.makeDirectory('/journal');
  await disk.makeDirectory('/journal/blobs');
  for (const directory of ['/', '/journal']) await disk.syncDirectory(directory);
  const ref = await new Blobs(disk, '/journal').put(written);
  return { sim, ref, path: `/journal/blobs/${ref.sha256.slice(0, 2)}/${ref.sha256}.gz` };
}

describe('blobs', () => {
  it('are read as they were written', async () => {
    const { sim, ref } = await kept();
    expect(ref).toEqual({ sha256: sha256Hex(written), sizeBytes: written.length });
    expect(await readBlob(sim.mount(), '/journal', ref)).toEqual(written);
  });

  const others: readonly [string, Buffer][] = [
    ['equal length with another hash', Buffer.from(written.map((byte) => byte ^ 1))],
    ['another length', Buffer.concat([written, written])],
    ['nothing', Buffer.alloc(0)],
  ];
  for (const [what, other] of others)
    it(`of ${what} are refused`, async () => {
      const { sim, ref, path } = await kept();
      sim.edit(path, () => gzipSync(other));
      await expect(readBlob(sim.mount(), '/journal', ref)).rejects.toThrow(
        /the blob cannot be unpacked|the content is not what its hash says/,
      );
    });

  it('unpack to their own size and no further, whatever the file holds', async () => {
    const { sim, ref, path } = await kept();
    sim.edit(path, () => gzipSync(Buffer.alloc(64 * 1024 * 1024)));
    await expect(readBlob(sim.mount(), '/journal', ref)).rejects.toThrow('the blob cannot be unpacked');
  });

  it.each([0, 0.5, 0.999])('are durable when a second writer finds them there, luck %d', async (luck) => {
    const { sim, ref, path } = await kept();
    const disk = sim.mount();
    const bytes = gzipSync(written);
    await disk.unlink(path);
    await disk.syncDirectory(path.slice(0, path.lastIndexOf('/')));
    const file = await disk.open(path, 'create');
    await file.write(bytes);
    await file.sync();
    await new Blobs(disk, '/journal').put(written);
    sim.crash(() => luck);
    expect(await readBlob(sim.mount(), '/journal', ref)).toEqual(written);
  });
});
