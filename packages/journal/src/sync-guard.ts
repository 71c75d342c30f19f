/**
 * Stands between the journal and its file system so that this process can never retry a failed sync.
 *
 * A kernel forgets which pages a failed sync should have written and calls the next sync a success. So the guard marks the
 * first failure, and refuses a second sync of that path before it reaches the disk.
 *
 * Source: reliability-security 0, 1 (first storage error).
 */
import type { FileSystem, OpenFile } from './file-system.ts';
import { errorCode, errorText } from './journal-errors.ts';

/** The content of the file is unknown until another process has read it back. `code` is that of the first failure. */
export class SyncFailedError extends Error {
  override readonly name = 'SyncFailedError';
  readonly code: string;

  constructor(path: string, cause: unknown) {
    super(`${path}: the sync failed: ${errorText(cause)}`, { cause });
    this.code = errorCode(cause) ?? 'EIO';
  }
}

export function guardSyncs(inner: FileSystem): FileSystem {
  const failed = new Map<string, SyncFailedError>();
  const sync = async (path: string, act: () => Promise<void>): Promise<void> => {
    const before = failed.get(path);
    if (before !== undefined) throw before;
    try {
      await act();
    } catch (cause) {
      const error = new SyncFailedError(path, cause);
      failed.set(path, error);
      throw error;
    }
  };
  const guarded = (path: string, file: OpenFile): OpenFile => ({
    write: (bytes) => file.write(bytes),
    writeAt: (offsetBytes, bytes) => file.writeAt(offsetBytes, bytes),
    read: (offsetBytes, lengthBytes, space) => file.read(offsetBytes, lengthBytes, space),
    sync: () => sync(path, () => file.sync()),
    isInPlace: () => file.isInPlace(),
    close: () => file.close(),
  });
  return {
    open: async (path, mode) => guarded(path, await inner.open(path, mode)),
    truncate: (path, sizeBytes) => inner.truncate(path, sizeBytes),
    rename: (from, to) => inner.rename(from, to),
    unlink: async (path) => {
      await inner.unlink(path);
      // A later file with this name is another file.
      failed.delete(path);
    },
    list: (directory) => inner.list(directory),
    syncDirectory: (directory) => sync(directory, () => inner.syncDirectory(directory)),
    makeDirectory: (path) => inner.makeDirectory(path),
    sizeBytes: (path) => inner.sizeBytes(path),
    makeReadOnly: (path) => inner.makeReadOnly(path),
  };
}
