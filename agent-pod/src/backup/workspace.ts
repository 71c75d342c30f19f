/**
 * The workspace as a commit may have it: plain files up to 10 MiB in which no known secret is found.
 *
 * A file is read and searched again only when its metadata say that it changed. The search goes on a piece at a time and lets
 * others have their turn in between.
 */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isSame } from '../tools/file-digests.ts';
import { walkWorkspace, type Fingerprint, type WalkEntry } from '../tools/workspace-walk.ts';
import { GitFailedError } from './git.ts';
import { blobIdOf, type FileMode } from './objects.ts';
import { codedPath } from './tree-path.ts';

export const FILE_BYTES_MAX = 10 * 1024 * 1024;
/** Entries that are looked at: twice what tools look at, and well below a second. */
const ENTRIES_MAX = 20_000;
/** Searched in one turn: some milliseconds. */
const PIECE_CHARACTERS = 32 * 1024;
/** A secret lies in one of two pieces whole. */
const OVERLAP_CHARACTERS = 8 * 1024;

export interface WorkspaceFile {
  /** In the repository. */
  readonly path: string;
  readonly mode: FileMode;
  readonly blobId: string;
  /** Those that the id names: a file that changed meanwhile is taken as it was. */
  readonly bytes: () => Promise<Uint8Array>;
}

export interface LeftOut {
  /** Relative to the workspace; absent if the name itself holds a secret. */
  readonly path?: string;
  readonly why: 'HoldsSecret' | 'TooLarge' | 'NoPlainFile' | 'NotReadable' | 'TooMany';
}

export interface Workspace {
  files(): AsyncIterable<WorkspaceFile>;
  /** Complete when {@link files} has ended, by path. */
  readonly leftOut: readonly LeftOut[];
}

/** What was found of each file at its last look; keep it between two commits. */
export type KnownFiles = Map<string, KnownFile>;

interface KnownFile {
  readonly fingerprint: Fingerprint;
  readonly mode: FileMode;
  /** Undefined: it holds a secret. */
  readonly blobId: string | undefined;
}

/** Of a path relative to the workspace. @returns how it is listed; undefined: it is looked at */
export type KeptOut = (path: string) => LeftOut | undefined;

export interface Search {
  readonly holdsSecret: (text: string) => boolean;
  readonly known: KnownFiles;
  /** Left out without a look. Default: none. */
  readonly keptOut?: KeptOut;
}

export function workspaceOf(directory: string, search: Search): Workspace {
  const { holdsSecret, known } = search;
  const leftOut: LeftOut[] = [];
  const files = async function* (): AsyncGenerator<WorkspaceFile> {
    const { entries, unlooked, isCut } = await walkWorkspace(directory, '.', { entries: ENTRIES_MAX });
    forgetOthers(known, entries);
    for (const entry of entries) {
      if (entry.kind === 'Directory') continue;
      const looked = await look(directory, entry, search);
      if ('why' in looked) leftOut.push(looked);
      else yield looked;
    }
    for (const { path } of unlooked)
      leftOut.push(holdsSecret(JSON.stringify(path)) ? { why: 'HoldsSecret' } : { path, why: 'NotReadable' });
    if (isCut) leftOut.push({ why: 'TooMany' });
    leftOut.sort((a, b) => ((a.path ?? '') < (b.path ?? '') ? -1 : 1));
  };
  return { files, leftOut };
}

function forgetOthers(known: KnownFiles, entries: readonly WalkEntry[]): void {
  const there = new Set(entries.map(({ path }) => path));
  for (const path of known.keys()) if (!there.has(path)) known.delete(path);
}

async function look(directory: string, entry: WalkEntry, search: Search): Promise<WorkspaceFile | LeftOut> {
  const { path, kind, sizeBytes, fingerprint } = entry;
  const { holdsSecret, known } = search;
  if (holdsSecret(JSON.stringify(path))) return { why: 'HoldsSecret' };
  const kept = search.keptOut?.(path);
  if (kept !== undefined) return kept;
  if (kind !== 'File') return { path, why: 'NoPlainFile' };
  if (sizeBytes > FILE_BYTES_MAX) return { path, why: 'TooLarge' };
  const before = known.get(path);
  if (before !== undefined && isSame(before.fingerprint, fingerprint))
    return before.blobId === undefined
      ? { path, why: 'HoldsSecret' }
      : fileOf(directory, path, { ...before, blobId: before.blobId });
  const read = await readPlain(join(directory, path));
  if (read === undefined) return { path, why: 'NotReadable' };
  const isClean = !(await isFoundIn(read.bytes, holdsSecret));
  const found = { fingerprint, mode: read.mode, blobId: isClean ? blobIdOf(read.bytes) : undefined };
  known.set(path, found);
  return found.blobId === undefined
    ? { path, why: 'HoldsSecret' }
    : {
        ...fileOf(directory, path, { mode: found.mode, blobId: found.blobId }),
        bytes: () => Promise.resolve(read.bytes),
      };
}

/** Rarely read: the commit before usually has it. */
function fileOf(
  directory: string,
  path: string,
  { mode, blobId }: { readonly mode: FileMode; readonly blobId: string },
): WorkspaceFile {
  const bytes = async (): Promise<Uint8Array> => {
    const read = await readPlain(join(directory, path));
    // It changed after it was searched: the next commit looks at it anew.
    if (read === undefined || blobIdOf(read.bytes) !== blobId)
      throw new GitFailedError('Failed', `${path} changed while it was copied: try again`);
    return read.bytes;
  };
  return { path: `workspace/${codedPath(path)}`, mode, blobId, bytes };
}

/** Undefined where no plain file of that size stands there any more. A link is not followed. */
async function readPlain(path: string): Promise<{ readonly bytes: Buffer; readonly mode: FileMode } | undefined> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  );
  if (handle === undefined) return undefined;
  try {
    const found = await handle.stat();
    if (!found.isFile() || found.size > FILE_BYTES_MAX) return undefined;
    const space = Buffer.alloc(found.size);
    const { bytesRead } = await handle.read(space, 0, found.size, 0);
    return { bytes: space.subarray(0, bytesRead), mode: (found.mode & 0o100) === 0 ? '100644' : '100755' };
  } finally {
    await handle.close();
  }
}

async function isFoundIn(bytes: Buffer, holdsSecret: (text: string) => boolean): Promise<boolean> {
  const text = bytes.toString('utf8');
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    const piece = text.slice(Math.max(0, at - OVERLAP_CHARACTERS), at + PIECE_CHARACTERS);
    if (holdsSecret(JSON.stringify(piece))) return true;
    await setImmediate();
  }
  return false;
}
