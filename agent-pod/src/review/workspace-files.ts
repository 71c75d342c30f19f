/** The files of a data directory as its record and its workspace have them. It reads, and hashes only recorded files. */
import { join } from 'node:path';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { JournalReader, JournalRecord } from '@retainer/journal/journal';
import { files, trustOf, type FileRow, type Files } from '@retainer/mind/parts/files/files';
import { hashOpened, type Hashed } from '../tools/file-digests.ts';
import { openNamedFile, openWorkspaceFile, type OpenedFile } from '../tools/workspace-file.ts';
import { walkWorkspace, type Unlooked, type WalkEntry } from '../tools/workspace-walk.ts';

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
  /** Directories and entries that could not be looked at. */
  readonly unlooked: readonly Unlooked[];
}

export async function listFiles(reader: JournalReader, dataDirectory: string): Promise<ListedFiles> {
  const known = files.start();
  for await (const record of reader.read('file')) files.take(known, record);
  const walk = await walkWorkspace(workspaceOf(dataDirectory), '.', { entries: ENTRIES_MAX });
  const listed: ListedFile[] = [];
  for (const entry of walk.entries)
    if (entry.kind === 'File') listed.push(await listedFile(known, dataDirectory, entry));
  return { files: listed, isCut: walk.isCut, unlooked: walk.unlooked };
}

async function listedFile(known: Files, dataDirectory: string, { path, sizeBytes }: WalkEntry): Promise<ListedFile> {
  const recorded = known.has(path) ? path : path.normalize('NFC');
  const row = known.get(recorded);
  const opened = row?.sizeBytes === sizeBytes ? openWorkspaceFile(workspaceOf(dataDirectory), path) : undefined;
  const stands = opened === undefined ? undefined : await hashed(await opened);
  const digest = stands?.ok === true ? stands.value.digest : undefined;
  const file = { path, sizeBytes, trust: trustOf(known, recorded, digest) };
  if (row === undefined || row.digest !== digest) return { ...file, why: 'Stranger' };
  const { why, runId, callId } = row;
  return { ...file, why, ...(runId === undefined ? {} : { runId }), ...(callId === undefined ? {} : { callId }) };
}

/** What the record says of a file, oldest first. @param path  in NFC: a program may have left another spelling of it */
export async function traceFile(reader: JournalReader, path: string): Promise<readonly JournalRecord[]> {
  const found: JournalRecord[] = [];
  for await (const record of reader.read('file'))
    if ((record.payload as { readonly path?: string }).path?.normalize('NFC') === path) found.push(record);
  return found;
}

/** The bytes that stand at a path that a person wrote. @returns the error is the end of a sentence */
export async function hashFile(dataDirectory: string, path: string): Promise<Result<Hashed, string>> {
  return hashed(await openNamedFile(workspaceOf(dataDirectory), path));
}

async function hashed(opened: Result<OpenedFile, string>): Promise<Result<Hashed, string>> {
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
