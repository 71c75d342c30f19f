/**
 * The repository in which the second copy of a data directory is: a bare one, so nothing is ever checked out of it.
 *
 * I1  Its configuration is the text below before every use; whatever else could steer git is taken away and told: hooks, other
 *     sources of objects, replaced histories.
 * I2  One process at a time works on it ({@link withRepository}), so what a killed one left can be taken away.
 * I3  A repository that git cannot read is set aside, and a new one begins: the journal is the record, this the copy. The newest one
 *     that was set aside stays for a look at it; each is as large as the copy, so those before it are removed.
 *
 * Source: reliability-security 1 (git). Differs: no index, so there is none to be locked or to be torn.
 */
import { randomUUID } from 'node:crypto';
import { lstat, mkdir, open, readdir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileLock } from '@retainer/journal/lock';
import { requireGit } from './git-version.ts';
import { GitFailedError, runGit } from './git.ts';

/** Of a repository beside a record. */
export const BRANCH_NAME = 'main';
export const BRANCH = `refs/heads/${BRANCH_NAME}`;

/** Below the data directory. */
export const REPOSITORY = 'git';

export interface Repository {
  readonly directory: string;
  /** The last commit; undefined while there is none. */
  readonly head: string | undefined;
}

export interface OpenedRepository extends Repository {
  /** What was found and taken away, in sentences for people. */
  readonly notices: readonly string[];
}

const CONFIGURATION = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n';

/** What could make git run programs, or read objects and histories from elsewhere. */
const FOREIGN = [
  'hooks',
  'commondir',
  'config.worktree',
  'gitdir',
  'worktrees',
  'modules',
  'shallow',
  'info/attributes',
  'info/grafts',
  'objects/info/alternates',
  'objects/info/http-alternates',
  'refs/replace',
] as const;

/** Git holds a lock for milliseconds; a repack of a large repository holds none of these. */
const LOCK_AGE_MS = 60_000;

/** Packs that were begun, marks of a killed import, and its last words. */
const LEFT_BEHIND = /^(?:tmp_|\.tmp-)|\.keep$|^fast_import_crash_/;

/**
 * Makes the repository if there is none.
 *
 * @param use  ends before another process may begin
 * @param isFirst  of this process: git itself and the whole history are looked at, too, some seconds in a long life
 * @throws LockHeldError, GitFailedError
 */
export async function withRepository<T>(
  directory: string,
  use: (repository: OpenedRepository) => Promise<T>,
  isFirst = false,
): Promise<T> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if (!(await lstat(directory)).isDirectory()) throw new GitFailedError('Failed', `${directory} is no directory`);
  if (isFirst) await requireGit(directory);
  const lock = await fileLock.acquire(`${directory}.lock`);
  try {
    return await use(await openRepository(directory, isFirst));
  } catch (error) {
    // Only the first error tells what happened.
    const freeBytes = await freeSpace(directory).catch(() => Infinity);
    // What was begun holds space that the record may need.
    await tidy(directory).catch(() => undefined);
    throw isOutOfSpace(error, freeBytes)
      ? new GitFailedError('NoSpace', `${directory}: no space left`, { cause: error })
      : error;
  } finally {
    await lock.release();
  }
}

/** Git says "disk corruption?" where a part of a pack found no room. */
const FREE_BYTES_MIN = 1024 * 1024;

function isOutOfSpace(error: unknown, freeBytes: number): boolean {
  return error instanceof GitFailedError && error.failure === 'Failed' && freeBytes < FREE_BYTES_MIN;
}

async function freeSpace(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

async function openRepository(directory: string, isFirst: boolean): Promise<OpenedRepository> {
  const notices = [...(await disarm(directory)), ...(await tidy(directory))];
  const found = await readHead(directory, isFirst);
  if (found.isReadable) return { directory, head: found.head, notices };
  const aside = `${directory}${UNREADABLE}${randomUUID()}`;
  await rename(directory, aside);
  await mkdir(directory, { mode: 0o700 });
  await disarm(directory);
  await makeNew(directory);
  return {
    directory,
    head: undefined,
    notices: [
      ...notices,
      `git cannot read the repository of the backup: it is now ${aside}, and a new one begins (${found.said})`,
      ...(await removeOlder(directory, aside)),
    ],
  };
}

/** Follows the name of a repository in the names of those that were set aside. */
const UNREADABLE = '.unreadable-';

/** @param aside  the one that stays. @returns what was removed, in sentences for people */
async function removeOlder(directory: string, aside: string): Promise<readonly string[]> {
  const folder = dirname(directory);
  const notices: string[] = [];
  for (const name of await namesIn(folder)) {
    if (!name.startsWith(`${basename(directory)}${UNREADABLE}`) || name === basename(aside)) continue;
    const path = join(folder, name);
    const told = await rm(path, { recursive: true, force: true }).then(
      () => 'was removed: of the repositories that git could not read, the newest one is kept',
      (error: Error) => `could not be removed, though a newer one is kept: ${error.message}`,
    );
    notices.push(`${path} ${told}`);
  }
  return notices;
}

/**
 * Looks at a repository, or a clone of one, that this process will only read; nothing of it is changed.
 *
 * @param branch  its short name, here or as the clone last saw it at its origin. Default: the one that is checked out, else
 *                {@link BRANCH}
 * @returns undefined if it is none; without a head if the branch is not there
 */
export async function readRepository(directory: string, branch?: string): Promise<Repository | undefined> {
  const isThere = await stat(join(directory, 'objects')).catch(() => undefined);
  if (isThere?.isDirectory() !== true) return undefined;
  const names = branch === undefined ? ['HEAD', BRANCH] : [`refs/heads/${branch}`, `refs/remotes/origin/${branch}`];
  for (const name of names) {
    const head = await idOf(directory, name);
    if (head !== undefined) return { directory, head };
  }
  return { directory, head: undefined };
}

/** The commit that the branch names by its own file, without a process of git; undefined if it has no such file, or no objects. */
export async function namedCommit(directory: string): Promise<string | undefined> {
  const hasObjects = await stat(join(directory, 'objects')).catch(() => undefined);
  const text = await readFile(join(directory, BRANCH), 'latin1').catch(() => undefined);
  return hasObjects === undefined ? undefined : text?.trim();
}

/** @returns undefined: nothing has this name */
export function commitOf(directory: string, name: string): Promise<string | undefined> {
  return idOf(directory, `${name}^{commit}`);
}

async function idOf(directory: string, name: string): Promise<string | undefined> {
  try {
    const text = await runGit(directory, ['rev-parse', '--verify', '--quiet', '--end-of-options', name]);
    return text.toString('latin1').trim();
  } catch (error) {
    if (error instanceof GitFailedError && error.failure === 'Failed') return undefined;
    throw error;
  }
}

type FoundHead =
  | { readonly isReadable: true; readonly head: string | undefined }
  /** In git's own words. */
  | { readonly isReadable: false; readonly said: string };

async function readHead(directory: string, isFirst: boolean): Promise<FoundHead> {
  const hasObjects = await stat(join(directory, 'objects')).catch(() => undefined);
  const hasHead = await stat(join(directory, 'HEAD')).catch(() => undefined);
  if (hasObjects === undefined || hasHead === undefined) await makeNew(directory);
  const told = await runGit(directory, ['for-each-ref', '--format=%(objectname)', BRANCH]);
  const id = told.toString('latin1').trim();
  const hasRef = await stat(join(directory, BRANCH)).catch(() => undefined);
  if (id === '')
    return hasRef === undefined
      ? { isReadable: true, head: undefined }
      : { isReadable: false, said: `${BRANCH} names no commit` };
  // A power loss may have taken the newest pack and left the name of its commit.
  const said = await whyUnreadable(directory, id, isFirst);
  return said === undefined ? { isReadable: true, head: id } : { isReadable: false, said };
}

/** Every tree of the newest commit is read each time; once in a process, it is seen whether each object of the history is there. */
async function whyUnreadable(directory: string, id: string, isFirst: boolean): Promise<string | undefined> {
  try {
    await runGit(directory, ['ls-tree', '-r', id]);
    if (isFirst) await runGit(directory, ['rev-list', '--objects', '--quiet', id]);
    return undefined;
  } catch (error) {
    // A process that was killed says nothing, and proves nothing.
    if (error instanceof GitFailedError && error.failure === 'Failed' && error.said.trim() !== '') return error.message;
    throw error;
  }
}

/** In a repository that began here and has not been pushed yet. */
const BEGAN_ANEW = 'retainer-began-anew';

export async function hasBegunAnew(directory: string): Promise<boolean> {
  return (await stat(join(directory, BEGAN_ANEW)).catch(() => undefined)) !== undefined;
}

/** The remote has its history. */
export async function noteJoined(directory: string): Promise<void> {
  await rm(join(directory, BEGAN_ANEW), { force: true });
}

async function makeNew(directory: string): Promise<void> {
  await initBare(directory);
  await writeFile(join(directory, BEGAN_ANEW), '', { mode: 0o600 });
  await writeFile(join(directory, 'config'), CONFIGURATION, { mode: 0o600 });
}

/** An empty repository in a directory that is there. @throws GitFailedError */
export async function initBare(directory: string): Promise<void> {
  await runGit(directory, [
    'init',
    '--quiet',
    '--bare',
    '--template=',
    '--object-format=sha1',
    '--initial-branch=main',
  ]);
}

/**
 * Before each use for which git reads the repository's own configuration.
 *
 * @returns what was found and taken away, in sentences for people
 */
export async function disarm(directory: string): Promise<readonly string[]> {
  const notices: string[] = [];
  for (const name of FOREIGN) {
    const path = join(directory, name);
    if ((await lstat(path).catch(() => undefined)) === undefined) continue;
    await rm(path, { recursive: true, force: true });
    notices.push(`${path} was removed: the backup has no use for it, and it could steer git`);
  }
  const path = join(directory, 'config');
  const found = await readFile(path, 'utf8').catch(() => undefined);
  if (found === CONFIGURATION) return notices;
  await rm(path, { recursive: true, force: true });
  await writeFile(path, CONFIGURATION, { mode: 0o600 });
  if (found !== undefined) notices.push(`${path} was written again: it held a foreign configuration`);
  return notices;
}

/** Takes away what killed processes left, and locks that nobody can hold any more. */
async function tidy(directory: string): Promise<readonly string[]> {
  for (const folder of ['.', 'objects', 'objects/pack'])
    for (const name of await namesIn(join(directory, folder)))
      if (LEFT_BEHIND.test(name)) await rm(join(directory, folder, name), { recursive: true, force: true });
  const notices: string[] = [];
  for (const folder of ['.', 'refs/heads'])
    for (const name of (await namesIn(join(directory, folder))).filter((each) => each.endsWith('.lock'))) {
      const path = join(directory, folder, name);
      const found = await stat(path).catch(() => undefined);
      if (found === undefined || Date.now() - found.mtimeMs < LOCK_AGE_MS) continue;
      await rm(path, { force: true });
      notices.push(`${path} was removed: a process of git that was ended had left it`);
    }
  return notices;
}

async function namesIn(directory: string): Promise<readonly string[]> {
  return readdir(directory).catch(() => []);
}

/** Makes the names in a directory durable. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the names of new packs durable: git syncs what is in them. */
export async function syncNames(directory: string): Promise<void> {
  for (const folder of ['objects/pack', 'refs/heads']) await syncDirectory(join(directory, folder));
}

/** More packs than this make each look-up slow. */
const PACKS_MAX = 50;

/**
 * Packs of about the same size become one, so that each byte is packed anew a few times in a life.
 *
 * @returns why it failed: the commits are there all the same
 */
export async function repackIfMany(directory: string, signal: AbortSignal | undefined): Promise<string | undefined> {
  const packs = (await namesIn(join(directory, 'objects/pack'))).filter((name) => name.endsWith('.pack'));
  if (packs.length <= PACKS_MAX) return undefined;
  try {
    await runGit(directory, ['repack', '-d', '-q', '--geometric=2', '--no-write-bitmap-index'], { signal });
    return undefined;
  } catch (error) {
    if (!(error instanceof GitFailedError)) throw error;
    await tidy(directory);
    return `the backup was made, but its ${packs.length} packs could not be joined: ${error.message}`;
  }
}
