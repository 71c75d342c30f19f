/** The files that a script wrote, by comparison of the workspace before and after. */
import { createHash } from 'node:crypto';
import type { WrittenFile } from '@retainer/mind/cycle/tool-outcome';
import { openWorkspaceFile } from './workspace-file.ts';
import { isChanged, walkWorkspace, type Fingerprint, type WalkEntry } from './workspace-walk.ts';

/** Entries compared; a walk over them takes a fraction of a second. */
export const MAX_COMPARED_ENTRIES = 10_000;
/** Files listed in one outcome: it is a journal record. */
export const MAX_LISTED_FILES = 100;
/** Bytes hashed for one outcome: about a second of one core. */
export const MAX_HASHED_BYTES = 512 * 1024 * 1024;

export type Snapshot = ReadonlyMap<string, Fingerprint>;

export async function snapshotWorkspace(workspaceDirectory: string): Promise<Snapshot> {
  const walk = await walkWorkspace(workspaceDirectory, '.', { entries: MAX_COMPARED_ENTRIES });
  return new Map(walk.entries.filter((entry) => entry.kind === 'File').map((entry) => [entry.path, entry.fingerprint]));
}

/** The regular files that are new or changed since `before`, and notes on what could not be listed. */
export async function changedFiles(
  workspaceDirectory: string,
  before: Snapshot,
): Promise<{ readonly files: readonly WrittenFile[]; readonly notes: readonly string[] }> {
  const walk = await walkWorkspace(workspaceDirectory, '.', { entries: MAX_COMPARED_ENTRIES });
  const changed = walk.entries.filter((it) => it.kind === 'File' && isChanged(before.get(it.path), it.fingerprint));
  const files: WrittenFile[] = [];
  let roomBytes = MAX_HASHED_BYTES;
  for (const entry of changed.slice(0, MAX_LISTED_FILES)) {
    const file = entry.sizeBytes <= roomBytes ? await hashedFile(workspaceDirectory, entry, roomBytes) : undefined;
    if (file === undefined) continue;
    roomBytes -= file.sizeBytes;
    files.push(file);
  }
  const unlisted = changed.length - files.length;
  const notes = unlisted === 0 ? [] : [`${unlisted} more files were written and are not listed`];
  return { files, notes: walk.isCut ? [...notes, `only ${MAX_COMPARED_ENTRIES} files were compared`] : notes };
}

async function hashedFile(
  workspaceDirectory: string,
  entry: WalkEntry,
  limitBytes: number,
): Promise<WrittenFile | undefined> {
  const opened = await openWorkspaceFile(workspaceDirectory, entry.path);
  if (!opened.ok) return undefined;
  const hash = createHash('sha256');
  let sizeBytes = 0;
  try {
    const end = Math.min(entry.sizeBytes, limitBytes) - 1;
    if (end < 0) return { path: entry.path, sizeBytes, sha256: hash.digest('hex') };
    for await (const chunk of opened.value.handle.createReadStream({ end, autoClose: false })) {
      hash.update(chunk as Buffer);
      sizeBytes += (chunk as Buffer).length;
    }
  } finally {
    await opened.value.handle.close();
  }
  return { path: entry.path, sizeBytes, sha256: hash.digest('hex') };
}
