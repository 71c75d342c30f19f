/**
 * Copies the seed files of an Agent's manifest into its workspace, unless they exist.
 *
 * I1  An existing file is kept: the workspace belongs to the agent.
 * I2  Links that the agent's code created cannot lead a write out of the workspace.
 * I3  After a crash the next start continues: a file exists completely or not at all.
 */
import { link, lstat, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join, posix, sep } from 'node:path';
import { sha256Hex } from '@retainer/contract/std/hash';

/** Largest file of a ConfigMap, which holds 1 MiB in all. */
const SEED_BYTES_MAX = 1_048_576;

export interface SeedFile {
  /** Relative to the workspace. */
  readonly path: string;
  readonly read: () => Promise<Uint8Array>;
  /** False: the operator says that the agent must not believe it. */
  readonly trusted: boolean;
}

export interface Seeded {
  readonly copied: readonly string[];
  /** Paths with an obstacle: a link out of the workspace, or a file in place of a directory. */
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

export interface PresentSeed extends Pick<SeedFile, 'path' | 'trusted'> {
  /** SHA-256 in hexadecimal digits. */
  readonly digest: string;
  readonly sizeBytes: number;
}

/** The seeds whose bytes stand at their place, whoever put them there. A link stands for nothing. */
export async function presentSeeds(
  workspaceDirectory: string,
  files: readonly SeedFile[],
): Promise<readonly PresentSeed[]> {
  const present: PresentSeed[] = [];
  for (const { path, read, trusted } of files) {
    const [seed, there] = await Promise.all([read(), readPlain(join(workspaceDirectory, path))]);
    const digest = sha256Hex(seed);
    if (there !== undefined && sha256Hex(there) === digest)
      present.push({ path: posix.normalize(path), digest, sizeBytes: there.length, trusted });
  }
  return present;
}

async function readPlain(path: string): Promise<Uint8Array | undefined> {
  const stat = await lstat(path).catch(() => undefined);
  if (stat?.isFile() !== true || stat.size > SEED_BYTES_MAX) return undefined;
  return readFile(path).catch(() => undefined);
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

/** Creates the directory of a file. False if a link out of the workspace, or a file, is in the way. */
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

/** Checks the existing part of the path; the rest will be created without links. */
async function isInside(directory: string, workspace: string): Promise<boolean> {
  const real = await realpath(directory).catch(() => undefined);
  if (real === undefined) return isInside(dirname(directory), workspace);
  return real === workspace || real.startsWith(workspace + sep);
}

async function writeNew(path: string, read: SeedFile['read']): Promise<void> {
  const temporary = `${path}.seed.tmp`;
  // May remain from a crash, or be a link of the agent's code: a write must not follow it.
  await rm(temporary, { force: true, recursive: true });
  await writeFile(temporary, await read(), { flag: 'wx' });
  await link(temporary, path);
  await rm(temporary);
}
