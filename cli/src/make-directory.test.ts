import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inTemporaryDirectory } from '../../test/support/agents.ts';
import { makeDirectory } from './make-directory.ts';

it('makes what is missing, and is content with what is there', async () => {
  await inTemporaryDirectory(async (directory) => {
    const path = join(directory, 'a', 'b', 'c');
    await makeDirectory(path);
    await makeDirectory(path);
    expect((await stat(path)).isDirectory()).toBe(true);
  });
});

it('ends where a file system makes no directories', async () => {
  await expect(makeDirectory('/proc/nope/deeper')).rejects.toMatchObject({ code: 'ENOENT' });
});
