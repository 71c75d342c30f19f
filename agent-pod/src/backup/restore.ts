/**
 * Rebuilds a data directory as a commit has it, under its own name.
 *
 * I1  The new directory appears under its name when it is complete, verified and synced, or not at all.
 * I2  Every blob of git is checked by its id, every record by the chain and by the heads that the commit names.
 */
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Head } from '@retainer/journal/journal';
import { rebuild, type Rebuilt } from './rebuild.ts';
import { syncDirectory, type Repository } from './repository.ts';

export interface RestoreOptions {
  readonly repository: Repository;
  readonly commit: string;
  /** Does not exist, or is empty. */
  readonly to: string;
  /** Looks at the rebuilt directory before it gets its name. @returns false: it is taken away again */
  readonly isGood: (directory: string, heads: readonly Head[]) => Promise<boolean>;
}

export class NotEmptyError extends Error {
  override readonly name = 'NotEmptyError';
}

/** @returns undefined if it was not good. @throws NotEmptyError, DamagedCopyError, GitFailedError, or the file system's own error */
export async function restore({ repository, commit, to, isGood }: RestoreOptions): Promise<Rebuilt | undefined> {
  const target = resolve(to);
  const names = await readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error.code === 'ENOTDIR' ? new NotEmptyError(`${to} is no directory`) : error;
  });
  if (names.length > 0) throw new NotEmptyError(`${to} is not empty: nothing is restored over anything`);
  const unfinished = `${target}.restoring`;
  await mkdir(dirname(target), { recursive: true });
  await mkdir(unfinished, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new NotEmptyError(`${unfinished} is there: another restore is at work, or was ended; remove it`);
  });
  try {
    const rebuilt = await rebuild(repository, commit, unfinished);
    if (!(await isGood(unfinished, rebuilt.heads))) {
      await rm(unfinished, { recursive: true, force: true });
      return undefined;
    }
    await rename(unfinished, target);
    await syncDirectory(dirname(target));
    return rebuilt;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}
