/**
 * Puts files into an agent's workspace where they are absent: the seeds that its manifest names.
 *
 * I1  A file that is there is kept, whatever it holds: the workspace is the agent's own.
 * I2  Nothing is written outside the workspace, whatever links the agent's code has left in it.
 * I3  A start that was cut off goes on: a file is there whole or not at all.
 */
import { link, lstat, mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';

export interface SeedFile {
  /** Relative to the workspace. */
  readonly path: string;
  readonly read: () => Promise<Uint8Array>;
}

export interface Seeded {
  /** Paths of the files that were absent. */
  readonly copied: readonly string[];
  /** Paths that a link would have led out of the workspace. */
  readonly refused: readonly string[];
}

export async function seedWorkspace(workspaceDirectory: string, files: readonly SeedFile[]): Promise<Seeded> {
  if (files.length === 0) return { copied: [], refused: [] };
  await mkdir(workspaceDirectory, { recursive: true });
  const workspace = await realpath(workspaceDirectory);
  const copied: string[] = [];
  const refused: string[] = [];
  for (const { path, read } of files) {
    const target = join(workspace, path);
    if (await isThere(target)) continue;
    const hasPlace = await hasDirectory(target, workspace);
    if (hasPlace) await writeNew(target, read);
    (hasPlace ? copied : refused).push(path);
  }
  return { copied, refused };
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

/** Makes the directory of a file, unless something in its way is a link out of the workspace, or no directory. */
async function hasDirectory(path: string, workspace: string): Promise<boolean> {
  const directory = dirname(path);
  if (!(await isInside(directory, workspace))) return false;
  try {
    await mkdir(directory, { recursive: true });
    return true;
  } catch (error) {
    if (['EEXIST', 'ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** Of what is there of the path: the rest is made, and holds no links. */
async function isInside(directory: string, workspace: string): Promise<boolean> {
  const real = await realpath(directory).catch(() => undefined);
  if (real === undefined) return isInside(dirname(directory), workspace);
  return real === workspace || real.startsWith(workspace + sep);
}

async function writeNew(path: string, read: SeedFile['read']): Promise<void> {
  const temporary = `${path}.seed.tmp`;
  // Of a start that was cut off, or a link that somebody left there: never written through.
  await rm(temporary, { force: true, recursive: true });
  await writeFile(temporary, await read(), { flag: 'wx' });
  await link(temporary, path);
  await rm(temporary);
}
