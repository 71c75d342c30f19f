/** The files and links of a data directory as its record and its workspace have them. It reads, and hashes only recorded files. */
import { join } from 'node:path';
import { sha256Hex } from '@retainer/contract/std/hash';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { JournalReader, JournalRecord } from '@retainer/journal/journal';
import { files, trustOf, type FileRow, type Files } from '@retainer/mind/parts/files/files';
import { hashOpened, type Hashed } from '../tools/file-digests.ts';
import { namedLink } from '../tools/links-on-way.ts';
import { openNamedFile, openWorkspaceFile, type OpenedFile } from '../tools/workspace-file.ts';
import { walkWorkspace, type Unlooked, type WalkEntry } from '../tools/workspace-walk.ts';

/** Entries of the workspace that are looked at: as many as tools look at. */
const ENTRIES_MAX = 10_000;

export interface ListedFile {
  /** Relative to the workspace. */
  readonly path: string;
  /** It is a symbolic link, and the size is that of its text. Absent: a file. */
  readonly isLink?: true;
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
    if (entry.kind === 'File' || entry.kind === 'Link') listed.push(await listedFile(known, dataDirectory, entry));
  return { files: listed, isCut: walk.isCut, unlooked: walk.unlooked };
}

async function listedFile(known: Files, dataDirectory: string, entry: WalkEntry): Promise<ListedFile> {
  const { path, sizeBytes } = entry;
  const recorded = known.has(path) ? path : path.normalize('NFC');
  const row = known.get(recorded);
  const isLink = entry.kind === 'Link';
  const digest = row?.sizeBytes === sizeBytes ? await digestOf(dataDirectory, entry) : undefined;
  const trust = trustOf(known, { path: recorded, digest, isLink });
  const file = { path, ...(isLink ? { isLink } : {}), sizeBytes, trust };
  if (row === undefined || row.digest !== digest || (row.isLink === true) !== isLink)
    return { ...file, why: 'Stranger' };
  const { why, runId, callId } = row;
  return { ...file, why, ...(runId === undefined ? {} : { runId }), ...(callId === undefined ? {} : { callId }) };
}

async function digestOf(dataDirectory: string, { path, kind }: WalkEntry): Promise<string | undefined> {
  if (kind === 'Link') return (await linkAt(dataDirectory, path))?.digest;
  const stands = await hashed(await openWorkspaceFile(workspaceOf(dataDirectory), path));
  return stands.ok ? stands.value.digest : undefined;
}

/** What the record says of a file, oldest first. @param path  in NFC: a program may have left another spelling of it */
export async function traceFile(reader: JournalReader, path: string): Promise<readonly JournalRecord[]> {
  const found: JournalRecord[] = [];
  for await (const record of reader.read('file'))
    if ((record.payload as { readonly path?: string }).path?.normalize('NFC') === path) found.push(record);
  return found;
}

/** What stands at a path: the bytes of a file, or the text of a link. */
export interface Standing extends Hashed {
  readonly isLink?: true;
}

/** What stands at a path that a person wrote. @returns the error is the end of a sentence */
export async function hashFile(dataDirectory: string, path: string): Promise<Result<Standing, string>> {
  const link = await linkAt(dataDirectory, path);
  return link === undefined ? hashed(await openNamedFile(workspaceOf(dataDirectory), path)) : ok(link);
}

/** Undefined where no link stands. */
async function linkAt(
  dataDirectory: string,
  path: string,
): Promise<(Standing & { readonly isLink: true }) | undefined> {
  const text = await namedLink(workspaceOf(dataDirectory), path);
  return text && { digest: sha256Hex(text), sizeBytes: text.length, isLink: true };
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
