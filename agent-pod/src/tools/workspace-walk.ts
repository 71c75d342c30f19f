/** Walks the workspace without following links, nearest first, each directory by name. */
import { constants, type Stats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import path from 'node:path';
import { WORKSPACE_ROOT } from '@retainer/mind/gate/workspace-path';

export interface WalkEntry {
  /** Relative to the workspace. */
  readonly path: string;
  readonly kind: 'File' | 'Directory' | 'Other';
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

export interface Walk {
  readonly entries: readonly WalkEntry[];
  /** The workspace holds more than the limit allows. */
  readonly isCut: boolean;
}

/** @param start  relative to the workspace; must be a directory inside it, not reached through a link */
export async function walkWorkspace(workspaceDirectory: string, start: string, limits: WalkLimits): Promise<Walk> {
  const entries: WalkEntry[] = [];
  const pending = [start];
  for (let directory = pending.shift(); directory !== undefined; directory = pending.shift()) {
    const room = limits.entries - entries.length;
    const names = await namesIn(path.join(workspaceDirectory, directory), room + 1);
    for (const name of names.slice(0, room)) {
      const entry = await entryAt(workspaceDirectory, directory === WORKSPACE_ROOT ? name : `${directory}/${name}`);
      if (entry === undefined) continue;
      entries.push(entry);
      if (entry.kind === 'Directory') pending.push(entry.path);
    }
    if (names.length > room) return { entries, isCut: true };
  }
  return { entries, isCut: false };
}

async function namesIn(directory: string, limit: number): Promise<readonly string[]> {
  const names: string[] = [];
  // A directory that has gone meanwhile, or is not readable, counts as empty.
  const opened = await opendir(directory).catch(() => undefined);
  if (opened === undefined) return names;
  for await (const entry of opened) {
    names.push(entry.name);
    if (names.length >= limit) break;
  }
  return names.toSorted();
}

async function entryAt(workspaceDirectory: string, relative: string): Promise<WalkEntry | undefined> {
  const stat = await lstat(path.join(workspaceDirectory, relative)).catch(() => undefined);
  if (stat === undefined) return undefined;
  const type = stat.mode & constants.S_IFMT;
  const kind = type === constants.S_IFREG ? 'File' : type === constants.S_IFDIR ? 'Directory' : 'Other';
  return { path: relative, kind, sizeBytes: stat.size, fingerprint: fingerprintOf(stat) };
}

export function fingerprintOf(stat: Stats): Fingerprint {
  const { ino, size, mtimeMs, ctimeMs } = stat;
  return { inode: ino, sizeBytes: size, modifiedMs: mtimeMs, changedMs: ctimeMs };
}
