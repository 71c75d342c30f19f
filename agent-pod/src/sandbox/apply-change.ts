/**
 * Applies to a workspace what a program changed in its copy.
 *
 * I1  Directories are opened without following links, and files are placed through the open directory. So no name leads out of
 *     the workspace, even if somebody renames directories meanwhile.
 * I2  Idempotent: after a crash the same change can be applied again.
 */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, open, rename, rmdir, symlink, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export type WorkspaceChange =
  /** `source` holds the bytes and is used up. */
  | {
      readonly type: 'File';
      readonly path: string;
      readonly source: string;
      readonly isExecutable: boolean;
      /** A link that stands there gives way. Absent: it stays, and the file is refused. */
      readonly overLink?: true;
    }
  | { readonly type: 'Link'; readonly path: string; readonly target: string }
  | { readonly type: 'Directory' | 'Removed' | 'RemovedDirectory'; readonly path: string };

/** @param root  real path of the workspace. @returns false if what stands there does not allow it */
export function applyChange(root: string, change: WorkspaceChange): Promise<boolean> {
  return applyThrough(root, change).catch(refusedByFileSystem);
}

/** A name that is taken or invalid is a refusal; any other error is a fault of the disk. */
function refusedByFileSystem(error: unknown): false {
  if (hasCode(error, ['ELOOP', 'ENOTDIR', 'EISDIR', 'EEXIST', 'ENOTEMPTY', 'ENAMETOOLONG', 'EINVAL', 'EILSEQ']))
    return false;
  throw error;
}

async function applyThrough(root: string, change: WorkspaceChange): Promise<boolean> {
  const names = change.path.split('/');
  const name = names.pop() ?? '';
  const isRemoved = change.type === 'Removed' || change.type === 'RemovedDirectory';
  const directory = await openDirectories(root, names, !isRemoved);
  if (directory === undefined) return true;
  try {
    return await applyAt(`/proc/self/fd/${directory.fd}/${name}`, change);
  } finally {
    await directory.close();
  }
}

async function applyAt(target: string, change: WorkspaceChange): Promise<boolean> {
  switch (change.type) {
    case 'File':
      return placeFile(change, target);
    case 'Link':
      return placeLink(change.target, target);
    case 'Directory':
      await mkdir(target).catch(ignore('EEXIST'));
      return true;
    case 'Removed':
      return remove(target);
    case 'RemovedDirectory':
      await rmdir(target).catch(ignore('ENOENT'));
      return true;
  }
}

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Opens the innermost directory. Undefined if one is missing and `isMade` is false. @throws ELOOP or ENOTDIR at a link */
async function openDirectories(
  root: string,
  names: readonly string[],
  isMade: boolean,
): Promise<FileHandle | undefined> {
  let directory = await open(root, DIRECTORY);
  for (const name of names) {
    const path = `/proc/self/fd/${directory.fd}/${name}`;
    try {
      if (isMade) await mkdir(path).catch(ignore('EEXIST'));
      const next = await open(path, DIRECTORY);
      await directory.close();
      directory = next;
    } catch (error) {
      await directory.close();
      if (!isMade && hasCode(error, ['ENOENT'])) return undefined;
      throw error;
    }
  }
  return directory;
}

async function placeFile(change: WorkspaceChange & { type: 'File' }, target: string): Promise<boolean> {
  const source = await lstat(change.source).catch(ignore('ENOENT'));
  // Used up: an earlier attempt has placed it.
  if (source === undefined) return true;
  const old = await lstat(target).catch(ignore('ENOENT'));
  if (old?.isDirectory() === true) await rmdir(target);
  else if (old !== undefined && !old.isFile() && !(change.overLink === true && old.isSymbolicLink())) return false;
  await chmod(change.source, change.isExecutable ? 0o755 : 0o644);
  await rename(change.source, target).catch(async (error: unknown) => {
    if (!hasCode(error, ['EXDEV'])) throw error;
    const beside = besides(target);
    await copyFile(change.source, beside, constants.COPYFILE_EXCL);
    await rename(beside, target);
    await unlink(change.source);
  });
  return true;
}

async function placeLink(text: string, target: string): Promise<boolean> {
  const old = await lstat(target).catch(ignore('ENOENT'));
  if (old?.isDirectory() === true) await rmdir(target);
  const beside = besides(target);
  await symlink(text, beside);
  await rename(beside, target);
  return true;
}

function besides(target: string): string {
  return join(dirname(target), `.${randomUUID()}.tmp`);
}

async function remove(target: string): Promise<boolean> {
  const old = await lstat(target).catch(ignore('ENOENT'));
  if (old === undefined) return true;
  if (!old.isFile() && !old.isSymbolicLink()) return false;
  await unlink(target);
  return true;
}

function ignore(code: string): (error: unknown) => undefined {
  return (error) => {
    if (!hasCode(error, [code])) throw error;
    return undefined;
  };
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
