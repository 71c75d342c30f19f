/** The files that a script wrote, by comparison of the workspace before and after. */
import path from 'node:path';
import type { WrittenFile } from '@retainer/mind/cycle/tool-outcome';
import type { Stood } from '@retainer/mind/run/verdict/acts';
import { hashOpened } from './file-digests.ts';
import { openWorkspaceFile } from './workspace-file.ts';
import { isChanged, walkWorkspace, type Walk, type WalkEntry } from './workspace-walk.ts';

/** Entries compared; a walk over them takes a fraction of a second. */
export const MAX_COMPARED_ENTRIES = 10_000;
/** Files listed in one outcome: it is a journal record. */
export const MAX_LISTED_FILES = 100;
/** Files of one call whose writer is recorded, a record of 300 bytes each. Nobody believes the others. */
const MAX_RECORDED_FILES = 1000;
/** Bytes hashed for one outcome: about a second of one core. */
export const MAX_HASHED_BYTES = 512 * 1024 * 1024;

export function snapshotWorkspace(workspaceDirectory: string): Promise<Walk> {
  return walkWorkspace(workspaceDirectory, '.', { entries: MAX_COMPARED_ENTRIES });
}

export interface Changes {
  /** The regular files that are new or changed. */
  readonly files: readonly WrittenFile[];
  /** Files that are no longer there. */
  readonly gone: readonly string[];
  /** What could not be listed. */
  readonly notes: readonly string[];
}

/** What became of the workspace since `before`. */
export async function changedFiles(workspaceDirectory: string, before: Walk): Promise<Changes> {
  const walk = await snapshotWorkspace(workspaceDirectory);
  const known = new Map(filesOf(before).map((entry) => [entry.path, entry.fingerprint]));
  const now = filesOf(walk);
  const changed = now.filter((it) => isChanged(known.get(it.path), it.fingerprint));
  const files: WrittenFile[] = [];
  let roomBytes = MAX_HASHED_BYTES;
  for (const entry of changed.slice(0, MAX_RECORDED_FILES)) {
    const file = entry.sizeBytes <= roomBytes ? await hashedFile(workspaceDirectory, entry, roomBytes) : undefined;
    if (file === undefined) continue;
    roomBytes -= file.sizeBytes;
    files.push(file);
  }
  const stands = new Set(now.map((it) => it.path));
  const gone = walk.isCut ? [] : [...known.keys()].filter((it) => !stands.has(it));
  const unlisted = changed.length - Math.min(files.length, MAX_LISTED_FILES);
  const notes = unlisted === 0 ? [] : [`${unlisted} more files were written and are not listed`];
  return { files, gone, notes: walk.isCut ? [...notes, `only ${MAX_COMPARED_ENTRIES} files were compared`] : notes };
}

function filesOf({ entries }: Walk): readonly WalkEntry[] {
  return entries.filter((it) => it.kind === 'File');
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
  try {
    const { sizeBytes, digest } = await hashOpened(opened.value.handle, Math.min(entry.sizeBytes, limitBytes));
    return { path: entry.path, sizeBytes, sha256: digest };
  } finally {
    await opened.value.handle.close();
  }
}
