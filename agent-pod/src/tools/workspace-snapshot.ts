/** What stood in the workspace before a run. */
import path from 'node:path';
import type { WrittenFile } from '@retainer/mind/cycle/tool-outcome';
import type { Stood } from '@retainer/mind/run/verdict/acts';
import { hashOpened } from './file-digests.ts';
import { openWorkspaceFile } from './workspace-file.ts';
import { walkWorkspace, type WalkEntry } from './workspace-walk.ts';

/** Entries examined; a walk over them takes a fraction of a second. */
const MAX_COMPARED_ENTRIES = 10_000;
/** Files listed in one outcome: it is a journal record. */
export const MAX_LISTED_FILES = 100;
/** Files that the record of a run lists as present before it: a record of about 60 KB. */
export const MAX_PRESENT_FILES = 500;
/** Bytes hashed for it: a fraction of a second of one core. A file beyond is listed without its digest. */
const MAX_PRESENT_BYTES = 64 * 1024 * 1024;

/**
 * The regular files of the workspace before a run.
 *
 * @param task  the Task in words; files that it names come first, so that they are listed in the largest workspace
 */
export async function presentFiles(workspaceDirectory: string, task: string): Promise<Stood> {
  const walk = await walkWorkspace(workspaceDirectory, '.', { entries: MAX_COMPARED_ENTRIES });
  const all = walk.entries.filter((it) => it.kind === 'File');
  const said = task.normalize('NFC');
  const isNamed = ({ path: name }: WalkEntry): boolean => said.includes(path.basename(name).normalize('NFC'));
  const listed = all.toSorted((a, b) => Number(isNamed(b)) - Number(isNamed(a))).slice(0, MAX_PRESENT_FILES);
  const files: Stood['files'][number][] = [];
  let roomBytes = MAX_PRESENT_BYTES;
  for (const entry of listed) {
    const file = entry.sizeBytes <= roomBytes ? await hashedFile(workspaceDirectory, entry, roomBytes) : undefined;
    roomBytes -= file?.sizeBytes ?? 0;
    // Tools name a file so, whatever its spelling on the disk is.
    const named = { path: entry.path.normalize('NFC') };
    files.push(file === undefined ? named : { ...named, sha256: file.sha256 });
  }
  return { files, isWhole: !walk.isCut && walk.unlooked.length === 0 && all.length === listed.length };
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
