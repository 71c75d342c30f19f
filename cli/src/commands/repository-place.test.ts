import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { verifies } from '../../../test/verifies.ts';
import { fileFaultText } from './repository-place.ts';

const root = temporaryDirectory();
afterAll(() => root.remove());

describe('fileFaultText', () => {
  verifies('backup:failure-told', 'makes a sentence of what the file system says, and of nothing else', async () => {
    const full = join(root.path, 'full');
    const fresh = join(root.path, 'fresh');
    for (const directory of [full, fresh]) mkdirSync(directory);
    writeFileSync(join(full, 'mine'), 'mine');
    const gone = join(root.path, 'gone');
    const rows = [
      [() => readFile(gone), `${gone} is not there, or went away in the middle of the work: give the command again`],
      [() => rename(fresh, full), `${full} is in the way, and nothing is written over anything`],
      [() => rmdir(full), `${full} is in the way, and nothing is written over anything`],
      [() => readFile(full), undefined],
      [() => Promise.reject(new TypeError('a bug')), undefined],
    ] as const;
    for (const [work, says] of rows) {
      const error = await work().then(
        () => expect.fail('it went well'),
        (thrown: unknown) => thrown,
      );
      if (says === undefined) expect(fileFaultText(error)).toBeUndefined();
      else expect(fileFaultText(error)).toContain(says);
    }
  });
});
