/** The files of a data directory as its record and its workspace have them. It reads, and hashes only recorded files. */
import { join } from 'node:path';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { JournalReader, JournalRecord } from '@retainer/journal/journal';
import { files, trustOf, type FileRow, type Files } from '@retainer/mind/parts/files/files';
import { hashOpened, type Hashed } from '../tools/file-digests.ts';
import { openWorkspaceFile } from '../tools/workspace-file.ts';
import { walkWorkspace, type WalkEntry } from '../tools/workspace-walk.ts';

/** Entries of the workspace that are looked at: as many as tools look at. */
const ENTRIES_MAX = 10_000;

export interface ListedFile {
  /** Relative to the workspace. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly trust: 'Trusted' | 'Untrusted';
  /** Who put these bytes there: `Stranger` if the record does not have them. */
  readonly why: FileRow['why'];
  /** Absent where no run wrote it. */
  readonly runId?: string;
  readonly callId?: string;
}

export interface ListedFiles {
  readonly files: readonly ListedFile[];
  /** The workspace has more files than were looked at. */
  readonly isCut: boolean;
}

export async function listFiles(reader: JournalReader, dataDirectory: string): Promise<ListedFiles> {
  const known = files.start();
  for await (const record of reader.read('file')) files.take(known, record);
  const walk = await walkWorkspace(workspaceOf(dataDirectory), '.', { entries: ENTRIES_MAX });
  const listed: ListedFile[] = [];
  for (const entry of walk.entries)
    if (entry.kind === 'File') listed.push(await listedFile(known, dataDirectory, entry));
  return { files: listed, isCut: walk.isCut };
}

async function listedFile(known: Files, dataDirectory: string, { path, sizeBytes }: WalkEntry): Promise<ListedFile> {
  const row = known.get(path);
  const hashed = row?.sizeBytes === sizeBytes ? await hashFile(dataDirectory, path) : undefined;
  const digest = hashed?.ok === true ? hashed.value.digest : undefined;
  const file = { path, sizeBytes, trust: trustOf(known, path, digest) };
  if (row === undefined || row.digest !== digest) return { ...file, why: 'Stranger' };
  const { why, runId, callId } = row;
  return { ...file, why, ...(runId === undefined ? {} : { runId }), ...(callId === undefined ? {} : { callId }) };
}

/** What the record says of a file, oldest first. */
export async function traceFile(reader: JournalReader, path: string): Promise<readonly JournalRecord[]> {
  const found: JournalRecord[] = [];
  for await (const record of reader.read('file'))
    if ((record.payload as { readonly path?: unknown }).path === path) found.push(record);
  return found;
}

/** The bytes that stand at a path of the workspace. @returns the error is the end of a sentence */
export async function hashFile(dataDirectory: string, path: string): Promise<Result<Hashed, string>> {
  const opened = await openWorkspaceFile(workspaceOf(dataDirectory), path);
  if (!opened.ok) return err(opened.error);
  const { handle, sizeBytes } = opened.value;
  try {
    return ok(await hashOpened(handle, sizeBytes));
  } finally {
    await handle.close();
  }
}

function workspaceOf(dataDirectory: string): string {
  return join(dataDirectory, 'workspace');
}
