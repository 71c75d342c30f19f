/**
 * The file-system port under every store. `real-file-system.ts` is its adapter; tests have one that loses unsynced writes at a
 * power loss.
 *
 * Errors are Node's (`code`: EIO, ENOSPC, EDQUOT, EROFS, ENOENT, EEXIST …). Paths are absolute.
 *
 * Source: reliability-security 1.
 */
export interface FileSystem {
  /**
   * Opens a file. `append` creates it if necessary and positions every write at its end; `create` fails with EEXIST when the
   * file exists; `update` is for {@link OpenFile.writeAt} in an existing file.
   */
  open(path: string, mode: 'read' | 'append' | 'create' | 'update'): Promise<OpenFile>;
  truncate(path: string, sizeBytes: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Names, sorted. A directory that does not exist is empty. */
  list(directory: string): Promise<readonly string[]>;
  /** Makes the directory's names durable. */
  syncDirectory(directory: string): Promise<void>;
  makeDirectory(path: string): Promise<void>;
  /** Undefined when there is no such file. */
  sizeBytes(path: string): Promise<number | undefined>;
  makeReadOnly(path: string): Promise<void>;
}

export interface OpenFile {
  /** May write fewer bytes than asked without any error: the caller loops. */
  write(bytes: Uint8Array): Promise<number>;
  /** The same at a given place. */
  writeAt(offsetBytes: number, bytes: Uint8Array): Promise<number>;
  /** Up to `lengthBytes` from `offsetBytes`; shorter at the end of the file. May use `space`, if it is large enough. */
  read(offsetBytes: number, lengthBytes: number, space?: Uint8Array): Promise<Uint8Array>;
  /** fdatasync. After a rejection the file must never be synced again. */
  sync(): Promise<void>;
  /** Whether its path still leads to this file, and not to another one or to none. Takes microseconds. */
  isInPlace(): boolean;
  close(): Promise<void>;
}
