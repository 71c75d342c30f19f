/**
 * Clears the directories for scratch that programs of an ended run left in the workspace.
 *
 * I1  No link is followed, neither to the directory nor in it.
 * I2  A file whose bytes are recorded goes only if they stand there.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { Scratch } from '@retainer/mind/parts/files/scratch';
import { applyChange } from './apply-change.ts';
import { scanTree, type ScannedEntry } from './local/scan-tree.ts';

export interface Cleared {
  /** Of files and links, relative to the workspace. */
  readonly paths: readonly string[];
  readonly bytes: number;
}

/** Call it while nobody else has the workspace. Rejects when the disk fails. */
export async function clearScratch(workspaceDirectory: string, scratch: Scratch): Promise<Cleared> {
  const root = await realpath(workspaceDirectory);
  const paths: string[] = [];
  let bytes = 0;
  for (const directory of scratch.directories) {
    if ((await realpath(join(root, directory)).catch(() => undefined)) !== join(root, directory)) continue;
    const { entries } = await scanTree(join(root, directory));
    const emptied = new Set<string>(isOwn(`${directory}/.`, scratch) ? [directory] : []);
    for (const entry of entries.map((it) => ({ ...it, path: `${directory}/${it.path}` }))) {
      if (entry.kind === 'Directory' && isOwn(entry.path, scratch)) emptied.add(entry.path);
      if (!(await clear(root, entry, scratch))) continue;
      paths.push(entry.path);
      bytes += entry.sizeBytes;
      for (let above = dirname(entry.path); above.length >= directory.length; above = dirname(above))
        emptied.add(above);
    }
    await removeEmpty(root, emptied);
  }
  return { paths, bytes };
}

/** Nobody but the run's programs can have left it, also where nothing is in it. */
function isOwn(path: string, scratch: Scratch): boolean {
  const clearable = scratch.clearable(path);
  return clearable !== undefined && clearable.digest === undefined;
}

/** @returns whether it is gone */
async function clear(root: string, { kind, path }: ScannedEntry, scratch: Scratch): Promise<boolean> {
  if (kind !== 'File' && kind !== 'Link') return false;
  const clearable = scratch.clearable(path);
  if (clearable === undefined) return false;
  const { digest } = clearable;
  if (digest !== undefined && (await digestOf(join(root, path), kind)) !== digest) return false;
  return applyChange(root, { type: 'Removed', path });
}

/** The deepest first; one that holds something else stays. */
async function removeEmpty(root: string, directories: ReadonlySet<string>): Promise<void> {
  const deepestFirst = [...directories].toSorted((a, b) => b.length - a.length);
  for (const path of deepestFirst) await applyChange(root, { type: 'RemovedDirectory', path });
}

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function digestOf(place: string, kind: 'File' | 'Link'): Promise<string | undefined> {
  if (kind === 'Link') {
    const text = await readlink(place, { encoding: 'buffer' }).catch(() => undefined);
    return text && sha256Hex(text);
  }
  const handle = await open(place, READ).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    return await hashOf(handle);
  } finally {
    await handle.close();
  }
}

async function hashOf(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of handle.createReadStream({ autoClose: false, start: 0 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
