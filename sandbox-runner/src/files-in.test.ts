import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { archive } from '../../test/support/runner-claimant.ts';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { verifies } from '../../test/verifies.ts';
import { receiveFiles } from './files-in.ts';
import { bodyDigest } from './signed-request.ts';

async function* bytesOf(body: Buffer): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(body);
}

describe('receiveFiles', () => {
  verifies(
    'sandbox-runner:carries-safe-files-only',
    'gives each file its own bytes, whatever the files are called',
    async () => {
      const directory = temporaryDirectory();
      try {
        const work = join(directory.path, 'work');
        await mkdir(work);
        // What an earlier run may have left in the workspace.
        const body = archive({ '.retainer-staging/1': 'forged', 'rules.txt': 'true' });
        const received = await receiveFiles(bytesOf(body), work, bodyDigest(body));
        expect(received.ok).toBe(true);
        expect(await readFile(join(work, 'rules.txt'), 'utf8')).toBe('true');
        expect((await readdir(work)).toSorted()).toEqual(['.retainer-staging', 'rules.txt']);
      } finally {
        await directory.remove();
      }
    },
  );
});
