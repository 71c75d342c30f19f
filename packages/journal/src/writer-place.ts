/**
 * Where the writer of a journal holds its lock. Two processes that give the same place share one kernel and one lock file: if one
 * of them finds the lock free, the other one does not write, and has ended if it ever did.
 *
 * The name of the node and the boot id of its kernel name the kernel: cloned machines may share a boot id, and a name may pass to
 * another machine. Device and inode name the file: a file system of user space that is mounted twice has two locks, and two devices.
 *
 * Source: design 5. Differs: `docs/decisions/0013-the-next-writer.md`.
 */
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileLock } from './lock.ts';
import { realFileSystem } from './real-file-system.ts';

/** Linux's own; a runtime with another kernel has another one, or none. */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/** @returns undefined: nothing proves the place, so the caller waits as long as it would anyway */
export async function writerPlace(directory: string, node: string): Promise<string | undefined> {
  try {
    const bootId = (await readFile(BOOT_ID, 'utf8')).trim();
    await realFileSystem.makeDirectory(directory);
    const file = await open(lockFile(directory), 'a+', 0o640);
    try {
      const { dev, ino } = await file.stat({ bigint: true });
      return [node, bootId, dev, ino].join('/');
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

/** Takes the lock and gives it back. False if a writer has it, and if nothing can be proved. */
export async function isWriterGone(directory: string): Promise<boolean> {
  try {
    const held = await fileLock.acquire(lockFile(directory));
    await held.release();
    return true;
  } catch {
    return false;
  }
}

function lockFile(directory: string): string {
  return join(directory, 'lock');
}
