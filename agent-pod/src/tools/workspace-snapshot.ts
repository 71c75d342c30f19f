/** The files that a script wrote, by comparison of the workspace before and after. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { WrittenFile } from '@retainer/mind/cycle/tool-outcome';
import type { Stood } from '@retainer/mind/run/verdict/acts';
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

/** Files that the record of a run lists as standing there before it: a record of about 60 KB. */
export const MAX_STANDING_FILES = 500;
/** Bytes hashed for it: a fraction of a second of one core. A file beyond is listed without its digest. */
const MAX_STANDING_BYTES = 64 * 1024 * 1024;

/**
 * The regular files of the workspace before a run.
 *
 * @param task  the Task in words; files that it names come first, so that they are listed in the largest workspace
 */
export async function standingFiles(workspaceDirectory: string, task: string): Promise<Stood> {
  const walk = await walkWorkspace(workspaceDirectory, '.', { entries: MAX_COMPARED_ENTRIES });
  const all = walk.entries.filter((it) => it.kind === 'File');
  const isNamed = ({ path: name }: WalkEntry): boolean => task.includes(path.basename(name));
  const listed = all.toSorted((a, b) => Number(isNamed(b)) - Number(isNamed(a))).slice(0, MAX_STANDING_FILES);
  const files: Stood['files'][number][] = [];
  let roomBytes = MAX_STANDING_BYTES;
  for (const entry of listed) {
    const file = entry.sizeBytes <= roomBytes ? await hashedFile(workspaceDirectory, entry, roomBytes) : undefined;
    roomBytes -= file?.sizeBytes ?? 0;
    files.push(file === undefined ? { path: entry.path } : { path: entry.path, sha256: file.sha256 });
  }
  return { files, isWhole: !walk.isCut && all.length === listed.length };
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
