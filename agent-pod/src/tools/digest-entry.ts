/** What stands at a path of the workspace, by digest: an approval is bound to it. */
import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { sha256Hex } from '@retainer/contract/std/hash';
import { hashOpened } from './file-digests.ts';
import { isWorkspaceEntry, openNamedFile } from './workspace-file.ts';

/** Bytes that are read for a digest, some tenths of a second; a larger file is known by size, time and inode. */
const DIGEST_BYTES_MAX = 64 * 1024 * 1024;

/** @returns SHA-256 of a file's bytes, or of what else is there; undefined when nothing is */
export async function digestOfEntry(workspaceDirectory: string, relative: string): Promise<string | undefined> {
  if (!(await isWorkspaceEntry(workspaceDirectory, relative))) return undefined;
  const opened = await openNamedFile(workspaceDirectory, relative);
  if (!opened.ok) return digestOfOther(path.join(workspaceDirectory, relative), opened.error);
  const { handle, sizeBytes } = opened.value;
  try {
    if (sizeBytes > DIGEST_BYTES_MAX) return await digestOfOther(path.join(workspaceDirectory, relative), 'is large');
    return (await hashOpened(handle, sizeBytes)).digest;
  } finally {
    await handle.close();
  }
}

async function digestOfOther(place: string, what: string): Promise<string> {
  const stat = await lstat(place, { bigint: true }).catch(() => undefined);
  return sha256Hex(`${what} ${stat?.ino} ${stat?.size} ${stat?.mtimeNs}`);
}
