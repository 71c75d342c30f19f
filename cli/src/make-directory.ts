import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes a directory and its parents. Node's own recursion never ends where a file system like /proc denies a parent. */
export async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeDirectory(dirname(path));
    await mkdir(path);
  }
}
