/** Walks the workspace without following links, nearest first, each directory by name. */
import { constants, type Stats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import path from 'node:path';
import { WORKSPACE_ROOT } from '@retainer/mind/gate/workspace-path';
import { describeFault } from './describe-fault.ts';

export interface WalkEntry {
  /** Relative to the workspace. */
  readonly path: string;
  readonly kind: 'File' | 'Directory' | 'Link' | 'Other';
  readonly sizeBytes: number;
  readonly fingerprint: Fingerprint;
}

/** The metadata of a file that change with its bytes. */
export interface Fingerprint {
  readonly inode: number;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** Nobody can set it. */
  readonly changedMs: number;
}

export interface WalkLimits {
  /** Entries in all. The walk ends there and reports it. */
  readonly entries: number;
}

/** Something that is there, and that the system did not let us look at. */
export interface Unlooked {
  readonly path: string;
  /** The end of a sentence: `the permissions do not allow it`. */
  readonly why: string;
}

export interface Walk {
  readonly entries: readonly WalkEntry[];
  /** Directories whose entries are not in the list, and entries of which nothing but the name is known. */
  readonly unlooked: readonly Unlooked[];
  /** The workspace holds more than the limit allows. */
  readonly isCut: boolean;
}

/** @param start  relative to the workspace; must be a directory inside it, not reached through a link */
export async function walkWorkspace(workspaceDirectory: string, start: string, limits: WalkLimits): Promise<Walk> {
  const entries: WalkEntry[] = [];
  const unlooked: Unlooked[] = [];
  const pending = [start];
  for (let directory = pending.shift(); directory !== undefined; directory = pending.shift()) {
    const room = limits.entries - entries.length;
    const listed = await namesIn(path.join(workspaceDirectory, directory), room + 1);
    if (listed.fault !== undefined) unlooked.push({ path: directory, why: listed.fault });
    for (const name of listed.names.slice(0, room)) {
      const place = directory === WORKSPACE_ROOT ? name : `${directory}/${name}`;
      const entry = await entryAt(workspaceDirectory, place);
      if (typeof entry === 'string') unlooked.push({ path: place, why: entry });
      if (entry === undefined || typeof entry === 'string') continue;
      entries.push(entry);
      if (entry.kind === 'Directory') pending.push(entry.path);
    }
    if (listed.names.length > room) return { entries, unlooked, isCut: true };
  }
  return { entries, unlooked, isCut: false };
}

interface Names {
  readonly names: readonly string[];
  /** Why they are not all. */
  readonly fault?: string;
}

async function namesIn(directory: string, limit: number): Promise<Names> {
  const names: string[] = [];
  try {
    for await (const entry of await opendir(directory)) {
      names.push(entry.name);
      if (names.length >= limit) break;
    }
    return { names: names.toSorted() };
  } catch (cause) {
    const fault = faultOf(cause);
    return { names: names.toSorted(), ...(fault === undefined ? {} : { fault }) };
  }
}

/** What has gone meanwhile is not there any more: nothing is missing. */
function faultOf(cause: unknown): string | undefined {
  const hasGone = cause instanceof Error && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR');
  return hasGone ? undefined : describeFault(cause);
}

/** @returns undefined if it has gone; a text says why nothing is known of it */
async function entryAt(workspaceDirectory: string, relative: string): Promise<WalkEntry | string | undefined> {
  const stat = await lstat(path.join(workspaceDirectory, relative)).catch(faultOf);
  if (stat === undefined || typeof stat === 'string') return stat;
  return { path: relative, kind: kindOf(stat), sizeBytes: stat.size, fingerprint: fingerprintOf(stat) };
}

function kindOf({ mode }: Stats): WalkEntry['kind'] {
  switch (mode & constants.S_IFMT) {
    case constants.S_IFREG:
      return 'File';
    case constants.S_IFDIR:
      return 'Directory';
    case constants.S_IFLNK:
      return 'Link';
    default:
      return 'Other';
  }
}

export function fingerprintOf(stat: Stats): Fingerprint {
  const { ino, size, mtimeMs, ctimeMs } = stat;
  return { inode: ino, sizeBytes: size, modifiedMs: mtimeMs, changedMs: ctimeMs };
}
