/**
 * Rebuilds a data directory as a commit has it.
 *
 * I1  The new directory appears under its name when it is complete, verified and synced, or not at all.
 * I2  Every blob of git is checked by its id, every record by the chain and by the heads that the commit names.
 */
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import type { Head } from '@retainer/journal/journal';
import { chunksOf, HEADS_FILE } from './capture.ts';
import { areWhole } from './chunks.ts';
import { PAGES } from './day-pages.ts';
import { GitFailedError, runGit, startGit } from './git.ts';
import { headsIn } from './history.ts';
import { readObjects, readTree, type Tree } from './objects.ts';
import { BRANCH, REPOSITORY, syncDirectory, withRepository, type Repository } from './repository.ts';
import { decodedPath } from './tree-path.ts';

export interface Restored {
  /** Files of the journal and of the workspace. */
  readonly files: number;
  readonly bytes: number;
  readonly heads: readonly Head[];
}

export interface RestoreOptions {
  readonly repository: Repository;
  readonly commit: string;
  /** Does not exist, or is empty. */
  readonly to: string;
  /** Looks at the rebuilt directory before it gets its name. @returns false: it is taken away again */
  readonly isGood: (directory: string, heads: readonly Head[]) => Promise<boolean>;
}

export class NotEmptyError extends Error {
  override readonly name = 'NotEmptyError';
}

/** @returns undefined if it was not good. @throws NotEmptyError, GitFailedError, or the file system's own error */
export async function restore({ repository, commit, to, isGood }: RestoreOptions): Promise<Restored | undefined> {
  const target = resolve(to);
  const names = await readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error.code === 'ENOTDIR' ? new NotEmptyError(`${to} is no directory`) : error;
  });
  if (names.length > 0) throw new NotEmptyError(`${to} is not empty: nothing is restored over anything`);
  const unfinished = `${target}.restoring`;
  await mkdir(dirname(target), { recursive: true });
  await mkdir(unfinished, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new NotEmptyError(`${unfinished} is there: another restore is at work, or was ended; remove it`);
  });
  try {
    const tree = await readTree(repository.directory, commit);
    const heads = await headsIn(repository.directory, tree);
    const written = await writeTree(repository.directory, tree, unfinished);
    await continueRepository(repository.directory, commit, join(unfinished, REPOSITORY));
    if (!(await isGood(unfinished, heads))) {
      await rm(unfinished, { recursive: true, force: true });
      return undefined;
    }
    await rename(unfinished, target);
    await syncDirectory(dirname(target));
    return { ...written, heads };
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

interface WantedFile {
  /** Relative to the data directory. */
  readonly path: string;
  readonly isExecutable: boolean;
  /** Its pieces, in order. */
  readonly blobIds: readonly string[];
}

async function wantedFiles(tree: Tree): Promise<readonly WantedFile[]> {
  const wanted: WantedFile[] = [];
  const pieces = await chunksOf(tree);
  for (const [file, chunks] of pieces) {
    if (!areWhole(chunks)) throw new GitFailedError('Failed', `the commit lacks pieces of ${file}`);
    wanted.push({ path: `journal/${file}`, isExecutable: false, blobIds: chunks.map(({ blobId }) => blobId) });
  }
  const isPiece = new Set([...pieces.values()].flatMap((chunks) => chunks.map(({ path }) => path)));
  for (const [path, { blobId, mode }] of tree)
    if (path !== HEADS_FILE && !path.startsWith(PAGES) && !isPiece.has(path))
      wanted.push({ path: decodedPath(path), isExecutable: mode === '100755', blobIds: [blobId] });
  return wanted;
}

async function writeTree(repository: string, tree: Tree, directory: string): Promise<Omit<Restored, 'heads'>> {
  const wanted = await wantedFiles(tree);
  const blobs = readObjects(
    repository,
    'blob',
    wanted.flatMap(({ blobIds }) => blobIds),
  );
  const folders = new Set<string>();
  let bytes = 0;
  for (const wantedFile of wanted) {
    const path = join(directory, wantedFile.path);
    if (!path.startsWith(directory + sep))
      throw new GitFailedError('Failed', `the commit has a file outside: ${wantedFile.path}`);
    folders.add(dirname(path));
    bytes += await writePieces(path, wantedFile, blobs);
  }
  // Reads to the end, so that the process of git has ended.
  await blobs.next();
  for (const folder of folders) await syncDirectory(folder);
  return { files: wanted.length, bytes };
}

/** @returns how many bytes */
async function writePieces(path: string, wanted: WantedFile, blobs: AsyncGenerator<Buffer>): Promise<number> {
  await mkdir(dirname(path), { recursive: true, mode: 0o750 });
  const file = await open(path, 'wx', wanted.isExecutable ? 0o750 : 0o640);
  let bytes = 0;
  try {
    for (let left = wanted.blobIds.length; left > 0; left -= 1) {
      const next = await blobs.next();
      if (next.done === true) throw new GitFailedError('Failed', `the commit ends before ${wanted.path}`);
      await file.writeFile(next.value);
      bytes += next.value.length;
    }
    await file.sync();
    return bytes;
  } finally {
    await file.close();
  }
}

/** The restored directory goes on with the history from this commit, so that a push of it is no other history. */
async function continueRepository(from: string, commit: string, directory: string): Promise<void> {
  await withRepository(directory, async () => {
    const packed = startGit(from, ['pack-objects', '--revs', '--stdout', '-q']);
    const stored = startGit(directory, ['index-pack', '--stdin', '--strict']);
    packed.child.stdin.end(`${commit}\n`);
    packed.child.stdout.pipe(stored.child.stdin);
    stored.child.stdout.resume();
    await Promise.all([packed.ended, stored.ended]);
    await runGit(directory, ['update-ref', BRANCH, commit]);
  });
}
