/**
 * Opens and writes files of the workspace, and nothing outside it, whatever links a script has left there.
 *
 * I1  An opened file is checked by its handle, not by its name: a link placed between check and use gains nothing.
 * I2  A write goes to exactly the path that the gate judged. No part of it may be a link, not even one that stays inside.
 * I3  A written file is either the old one or the new one, never a part: temporary file, sync, rename.
 */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readlink, realpath, rename, unlink, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { describeFault } from './describe-fault.ts';
import { entryNamed, nameOnDisk } from './name-on-disk.ts';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** Permissions of a new file: readable by the sandbox's user, whoever that is. */
const NEW_FILE_MODE = 0o644;
const PERMISSION_BITS = 0o777;

export interface OpenedFile {
  readonly handle: FileHandle;
  readonly sizeBytes: number;
  /** As it was named, and where it is: both relative to the workspace. They differ where a link is on the way. */
  readonly name: string;
  readonly place: string;
}

/** A directory; as of {@link OpenedFile}. */
export type FoundDirectory = Pick<OpenedFile, 'name' | 'place'>;

/**
 * Opens a regular file for reading. Follows links that stay in the workspace. The caller closes it.
 *
 * @param relative  as `parseWorkspacePath` returns it
 * @returns the error is the end of a sentence: `is a directory`
 */
export async function openWorkspaceFile(
  workspaceDirectory: string,
  relative: string,
): Promise<Result<OpenedFile, string>> {
  try {
    const root = await realpath(workspaceDirectory);
    const target = await realpath(path.join(root, relative));
    if (!isInside(root, target)) return err('is a link that leads out of the workspace');
    // Opening a pipe would wait for its writer for ever.
    const handle = await open(target, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const checked = await checkOpened(root, { name: relative, target }, handle);
    if (!checked.ok) await handle.close();
    return checked;
  } catch (cause) {
    return err(`cannot be opened: ${describeFault(cause)}`);
  }
}

/** Opens the file that a path means, as {@link openWorkspaceFile}: for paths that somebody wrote, and no walk found. */
export async function openNamedFile(workspaceDirectory: string, relative: string): Promise<Result<OpenedFile, string>> {
  const name = await namedEntry(workspaceDirectory, relative);
  return name.ok ? openWorkspaceFile(workspaceDirectory, name.value) : name;
}

/** @returns the path as it stands on the disk; the error is the end of a sentence */
async function namedEntry(workspaceDirectory: string, relative: string): Promise<Result<string, string>> {
  const root = await realpath(workspaceDirectory).catch(() => workspaceDirectory);
  return nameOnDisk(root, relative);
}

/** Whether anything has this name, or cannot be checked. @param relative  as `parseWorkspacePath` returns it */
export async function isWorkspaceEntry(workspaceDirectory: string, relative: string): Promise<boolean> {
  try {
    const name = await namedEntry(workspaceDirectory, relative);
    if (name.ok) await lstat(path.join(workspaceDirectory, name.value));
    return true;
  } catch (cause) {
    return !hasCode(cause, ['ENOENT', 'ENOTDIR']);
  }
}

async function checkOpened(
  root: string,
  { name, target }: { readonly name: string; readonly target: string },
  handle: FileHandle,
): Promise<Result<OpenedFile, string>> {
  const location = await locationOf(handle, target);
  if (!isInside(root, location)) return err('is a link that leads out of the workspace');
  const stat = await handle.stat();
  if (stat.isDirectory()) return err('is a directory; list_files shows what is in it');
  if (!stat.isFile()) return err('is not a regular file');
  return ok({ handle, sizeBytes: stat.size, name, place: path.relative(root, location) });
}

/** Writes a file and the directories above it. @param relative  as `parseWorkspacePath` returns it, below the root */
export async function writeWorkspaceFile(
  workspaceDirectory: string,
  relative: string,
  content: Uint8Array,
): Promise<Result<{ readonly replaced: boolean }, string>> {
  try {
    const parts = relative.split('/');
    const name = parts.pop() ?? '';
    const directory = await openDirectories(await realpath(workspaceDirectory), parts);
    if (!directory.ok) return directory;
    try {
      const found = await entryNamed(directory.value.pinned, name);
      return found.ok ? await replaceFile(directory.value, found.value, content) : found;
    } finally {
      await directory.value.handle.close();
    }
  } catch (cause) {
    return err(`cannot be written: ${describeFault(cause)}`);
  }
}

interface OpenedDirectory {
  readonly handle: FileHandle;
  /** A name of this very directory. It stays correct when the path changes meanwhile (I1). */
  readonly pinned: string;
}

/** Descends one part at a time, from handle to handle, and makes missing directories. No part may be a link (I2). */
async function openDirectories(root: string, parts: readonly string[]): Promise<Result<OpenedDirectory, string>> {
  let directory = await openDirectory(root, root);
  let plain = root;
  for (const part of parts) {
    const found = await entryNamed(directory.pinned, part);
    plain = path.join(plain, found.ok ? found.value : part);
    const next = found.ok ? await openPart(directory.pinned, found.value, plain) : undefined;
    await directory.handle.close();
    if (!found.ok) return found;
    if (next === undefined) return err('has a file or a link where a directory has to be; write to the real path');
    directory = next;
  }
  return ok(directory);
}

async function openPart(parent: string, part: string, plain: string): Promise<OpenedDirectory | undefined> {
  try {
    await mkdir(`${parent}/${part}`).catch((cause: unknown) => {
      if (!hasCode(cause, ['EEXIST'])) throw cause;
    });
    return await openDirectory(`${parent}/${part}`, plain);
  } catch (cause) {
    if (hasCode(cause, ['ENOTDIR', 'ELOOP'])) return undefined;
    throw cause;
  }
}

async function openDirectory(name: string, plain: string): Promise<OpenedDirectory> {
  const handle = await open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  const pinned = `/proc/self/fd/${handle.fd}`;
  // Only Linux has names for open files; elsewhere the plain path is the best available.
  const isPinned = await readlink(pinned).then(
    () => true,
    () => false,
  );
  return { handle, pinned: isPinned ? pinned : plain };
}

async function replaceFile(
  directory: OpenedDirectory,
  name: string,
  content: Uint8Array,
): Promise<Result<{ readonly replaced: boolean }, string>> {
  const destination = `${directory.pinned}/${name}`;
  const old = await lstat(destination).catch(() => undefined);
  if (old?.isDirectory() === true) return err('is a directory');
  if (old?.isSymbolicLink() === true) return err('is a link; write to the real path');
  const temporary = `${directory.pinned}/.${randomUUID()}.tmp`;
  const file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, NEW_FILE_MODE);
  try {
    await file.writeFile(content);
    if (old?.isFile() === true) await file.chmod(old.mode & PERMISSION_BITS);
    await file.sync();
    await file.close();
    await rename(temporary, destination);
  } catch (cause) {
    await file.close().catch(() => undefined);
    await unlink(temporary).catch(() => undefined);
    throw cause;
  }
  await directory.handle.sync();
  return ok({ replaced: old !== undefined });
}

/** Where an open file really is. On Linux the system knows; elsewhere its name is resolved once more. */
async function locationOf(handle: FileHandle, openedAs: string): Promise<string> {
  return readlink(`/proc/self/fd/${handle.fd}`).catch(() => realpath(openedAs));
}

/** A directory in the workspace, for walking. @returns the error is the end of a sentence */
export async function resolveDirectory(
  workspaceDirectory: string,
  relative: string,
): Promise<Result<FoundDirectory, string>> {
  try {
    const root = await realpath(workspaceDirectory);
    const name = await nameOnDisk(root, relative);
    if (!name.ok) return name;
    const target = await realpath(path.join(root, name.value));
    if (!isInside(root, target)) return err('is a link that leads out of the workspace');
    const stat = await lstat(target);
    if (!stat.isDirectory()) return err('is not a directory');
    return ok({ name: name.value, place: path.relative(root, target) || '.' });
  } catch (cause) {
    return err(`cannot be opened: ${describeFault(cause)}`);
  }
}

function isInside(root: string, target: string): boolean {
  return target === root || target.startsWith(`${root}/`);
}

function hasCode(cause: unknown, codes: readonly string[]): boolean {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' && codes.includes(cause.code);
}
