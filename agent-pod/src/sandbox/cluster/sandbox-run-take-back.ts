/**
 * Applies a run's changes to the workspace. The archive comes from untrusted code.
 *
 * I1  Nothing changes before the whole archive is here and valid.
 * I2  Directories are opened without following links, and files are placed through the open directory. So no name leads out of
 *     the workspace, even if somebody renames directories meanwhile.
 * I3  Nothing in or above a read-only path changes, and only files sent to the sandbox are removed.
 * I4  Idempotent: after a crash the same archive can be applied again.
 */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  open,
  realpath,
  rename,
  rm,
  rmdir,
  unlink,
  type FileHandle,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { FrameDecoder, type FramePart } from '@retainer/contract/wire/frames';
import type { FrameHeader } from '@retainer/contract/wire/runner';
import { wouldChangeReadOnly } from './sandbox-run-paths.ts';

export interface TakeBackPlan {
  readonly workspaceDirectory: string;
  readonly readOnlyPaths: readonly string[];
  readonly sentPaths: readonly string[];
  /** Exists and is private to the agent; best on the workspace's volume. */
  readonly stagingDirectory: string;
}

/** `refused`: changes left out because of a read-only path, a link or a directory in the way. */
export interface TakenBack {
  readonly refused: number;
}

/** On an error, the end of a sentence, the workspace is unchanged. Rejects when the connection or the disk fails. */
export async function takeBack(
  archive: AsyncIterable<Uint8Array>,
  plan: TakeBackPlan,
): Promise<Result<TakenBack, string>> {
  const staging = await mkdtemp(join(plan.stagingDirectory, 'take-back-'));
  try {
    const staged = await stage(archive, staging);
    return staged.ok ? ok(await applyAll(staged.value, plan)) : staged;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

type Change = Exclude<FrameHeader, { type: 'End' }> & { readonly source: string };

async function stage(
  archive: AsyncIterable<Uint8Array>,
  directory: string,
): Promise<Result<readonly Change[], string>> {
  const decoder = new FrameDecoder();
  const staging = new Staging(directory);
  try {
    for await (const chunk of archive) {
      const parts = decoder.push(chunk);
      if (!parts.ok) return err(parts.error.message);
      for (const part of parts.value) await staging.take(part);
    }
  } finally {
    await staging.finishFile();
  }
  const finished = decoder.finish();
  return finished.ok ? ok(staging.changes) : err(finished.error.message);
}

/** Stores the files of one archive under numbers. */
class Staging {
  readonly #directory: string;
  readonly #changes: Change[] = [];
  #file: FileHandle | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  get changes(): readonly Change[] {
    return this.#changes;
  }

  async take(part: FramePart): Promise<void> {
    if (part.type === 'Content') return this.#file?.writeFile(part.bytes);
    await this.finishFile();
    if (part.header.type === 'End') return undefined;
    const source = join(this.#directory, String(this.#changes.length));
    if (part.header.type === 'File') this.#file = await open(source, 'wx', 0o600);
    this.#changes.push({ ...part.header, source });
    return undefined;
  }

  async finishFile(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.sync();
    await file?.close();
  }
}

async function applyAll(changes: readonly Change[], plan: TakeBackPlan): Promise<TakenBack> {
  const root = await realpath(plan.workspaceDirectory);
  const sent = new Set(plan.sentPaths);
  let refused = 0;
  // Removals first, because they make room.
  const ordered = [
    ...changes.filter(({ type }) => type === 'Removed'),
    ...changes.filter(({ type }) => type === 'File'),
  ];
  for (const change of ordered) {
    const isAllowed =
      !wouldChangeReadOnly(change.path, plan.readOnlyPaths) && (change.type === 'File' || sent.has(change.path));
    const isDone = isAllowed && (await applyOne(root, change).catch(refusedByFileSystem));
    if (!isDone) refused += 1;
  }
  return { refused };
}

/** A name that is taken or invalid is a refusal; any other error is a fault of the disk. */
function refusedByFileSystem(error: unknown): false {
  if (hasCode(error, ['ELOOP', 'ENOTDIR', 'EISDIR', 'EEXIST', 'ENOTEMPTY', 'ENAMETOOLONG', 'EINVAL', 'EILSEQ']))
    return false;
  throw error;
}

async function applyOne(root: string, change: Change): Promise<boolean> {
  const names = change.path.split('/');
  const name = names.pop() ?? '';
  const directory = await openDirectories(root, names, change.type === 'File');
  if (directory === undefined) return true;
  try {
    const target = `/proc/self/fd/${directory.fd}/${name}`;
    return change.type === 'File' ? await place(change, target) : await remove(target);
  } finally {
    await directory.close();
  }
}

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Opens the innermost directory. Undefined if one is missing and `isMade` is false. @throws ELOOP or ENOTDIR at a link */
async function openDirectories(
  root: string,
  names: readonly string[],
  isMade: boolean,
): Promise<FileHandle | undefined> {
  let directory = await open(root, DIRECTORY);
  for (const name of names) {
    const path = `/proc/self/fd/${directory.fd}/${name}`;
    try {
      if (isMade) await mkdir(path).catch(ignore('EEXIST'));
      const next = await open(path, DIRECTORY);
      await directory.close();
      directory = next;
    } catch (error) {
      await directory.close();
      if (!isMade && hasCode(error, ['ENOENT'])) return undefined;
      throw error;
    }
  }
  return directory;
}

async function place(change: Change, target: string): Promise<boolean> {
  const old = await lstat(target).catch(ignore('ENOENT'));
  if (old?.isDirectory() === true) await rmdir(target);
  else if (old !== undefined && !old.isFile()) return false;
  await chmod(change.source, change.type === 'File' && change.isExecutable ? 0o755 : 0o644);
  await rename(change.source, target).catch(async (error: unknown) => {
    if (!hasCode(error, ['EXDEV'])) throw error;
    const beside = join(dirname(target), `.${randomUUID()}.tmp`);
    await copyFile(change.source, beside, constants.COPYFILE_EXCL);
    await rename(beside, target);
  });
  return true;
}

async function remove(target: string): Promise<boolean> {
  const old = await lstat(target).catch(ignore('ENOENT'));
  if (old === undefined) return true;
  if (!old.isFile()) return false;
  await unlink(target);
  return true;
}

function ignore(code: string): (error: unknown) => undefined {
  return (error) => {
    if (!hasCode(error, [code])) throw error;
    return undefined;
  };
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
