/**
 * Writes the files of a commit, its record joined, and the history up to it into an empty directory.
 *
 * I1  Every object of git is checked by its id, those that no file needs by git itself. What cannot be read or is not what its id
 *     says is told by its place.
 * I2  Nothing is written but journal, configuration, workspace and the list of what was left out, each in its own folder, whatever
 *     else somebody put into the commit.
 */
import { mkdir, open } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { shownCommit } from '@retainer/contract/std/shown-commit';
import type { Head } from '@retainer/journal/journal';
import { copyCommit } from './bundle.ts';
import { chunksOf, HEADS_FILE, isOutsideRecord, LEFT_OUT_FILE } from './capture.ts';
import { areWhole } from './chunks.ts';
import { DamagedCopyError, readingOf } from './damaged-copy.ts';
import { headsIn } from './history.ts';
import { readObjects, readTree, type Tree } from './objects.ts';
import { REPOSITORY, syncDirectory, withRepository, type Repository } from './repository.ts';
import { decodedPath } from './tree-path.ts';

export interface Rebuilt {
  /** Files of the journal and of the workspace. */
  readonly files: number;
  readonly bytes: number;
  /** Of the commit. */
  readonly heads: readonly Head[];
}

/**
 * @param directory  exists and is empty; what is in it after a rejection is of no use
 * @throws DamagedCopyError, GitFailedError where git itself could not work, or the file system's own error
 */
export async function rebuild(repository: Repository, commit: string, directory: string): Promise<Rebuilt> {
  const { directory: from } = repository;
  const tree = await readingOf(placeIn(commit, 'its tree'), () => readTree(from, commit));
  if (!tree.has(HEADS_FILE)) throw damageAt(commit, HEADS_FILE, 'it is not there');
  const heads = await readingOf(placeIn(commit, HEADS_FILE), () => headsIn(from, tree));
  const written = await writeTree({ from, commit, tree }, directory);
  await readingOf(placeIn(commit, 'its history'), () =>
    continueRepository(repository, commit, join(directory, REPOSITORY)),
  );
  return { ...written, heads };
}

function placeIn(commit: string, path: string): string {
  return `commit ${shownCommit(commit)} is damaged: ${path}`;
}

function damageAt(commit: string, path: string, what: string): DamagedCopyError {
  return new DamagedCopyError(`${placeIn(commit, path)}: ${what}`);
}

interface WantedFile {
  /** Relative to the data directory. */
  readonly path: string;
  readonly isExecutable: boolean;
  /** Its pieces, in order. */
  readonly blobIds: readonly string[];
}

async function wantedFiles({ commit, tree }: Source): Promise<readonly WantedFile[]> {
  const wanted: WantedFile[] = [];
  const pieces = await chunksOf(tree);
  for (const [file, chunks] of pieces) {
    if (!areWhole(chunks)) throw damageAt(commit, `journal/${file}`, 'pieces of it are not there');
    wanted.push({ path: `journal/${file}`, isExecutable: false, blobIds: chunks.map(({ blobId }) => blobId) });
  }
  const isPiece = new Set([...pieces.values()].flatMap((chunks) => chunks.map(({ path }) => path)));
  for (const [path, { blobId, mode }] of tree)
    if (isKept(path) && !isPiece.has(path))
      wanted.push({ path: decodedPath(path), isExecutable: mode === '100755', blobIds: [blobId] });
  return wanted;
}

function isKept(path: string): boolean {
  return path.startsWith('journal/') || isOutsideRecord(path) || path === LEFT_OUT_FILE;
}

/** A coded name could lead out of it. */
function isInItsFolder(path: string): boolean {
  return normalize(path).startsWith(path.slice(0, path.indexOf('/') + 1));
}

interface Source {
  /** Of the repository. */
  readonly from: string;
  readonly commit: string;
  readonly tree: Tree;
}

async function writeTree(source: Source, directory: string): Promise<Omit<Rebuilt, 'heads'>> {
  const { from, commit } = source;
  const wanted = await wantedFiles(source);
  const ids = wanted.flatMap(({ blobIds }) => blobIds);
  const blobs = readObjects(from, 'blob', ids);
  const folders = new Set<string>();
  let bytes = 0;
  for (const wantedFile of wanted) {
    if (!isInItsFolder(wantedFile.path)) throw damageAt(commit, wantedFile.path, 'it would be outside its folder');
    const path = join(directory, wantedFile.path);
    folders.add(dirname(path));
    bytes += await writePieces(path, wantedFile, () => readingOf(placeIn(commit, wantedFile.path), () => blobs.next()));
  }
  // Reads to the end, so that the process of git has ended.
  await readingOf(placeIn(commit, 'its files'), () => blobs.next());
  for (const folder of folders) await syncDirectory(folder);
  return { files: wanted.length, bytes };
}

type Next = () => Promise<IteratorResult<Buffer>>;

/** @returns how many bytes */
async function writePieces(path: string, wanted: WantedFile, next: Next): Promise<number> {
  await mkdir(dirname(path), { recursive: true, mode: 0o750 });
  const file = await open(path, 'wx', wanted.isExecutable ? 0o750 : 0o640);
  let bytes = 0;
  try {
    for (let left = wanted.blobIds.length; left > 0; left -= 1) {
      const piece = await next();
      if (piece.done === true) throw new Error(`git gave all objects, and ${wanted.path} lacks one`);
      await file.writeFile(piece.value);
      bytes += piece.value.length;
    }
    await file.sync();
    return bytes;
  } finally {
    await file.close();
  }
}

/** The restored directory goes on with the history from this commit, so that a push of it is no other history. */
async function continueRepository(from: Repository, commit: string, directory: string): Promise<void> {
  await withRepository(directory, () => copyCommit(from, commit, directory));
}
