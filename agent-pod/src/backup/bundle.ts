/** A repository as one stream, for somebody who has only a pipe to it: all of it, or what one commit needs. */
import { mkdir } from 'node:fs/promises';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GitFailedError, runGit, startGit } from './git.ts';
import { BRANCH, initBare, readRepository, type Repository } from './repository.ts';

/** @param out  stays open. @throws GitFailedError */
export async function writeBundle({ directory }: Repository, out: Writable): Promise<void> {
  const { child, ended } = startGit(directory, ['bundle', 'create', '--quiet', '-', BRANCH]);
  child.stdin.end();
  await pipeline(child.stdout, out, { end: false });
  await ended;
}

/** @param directory  new: the repository that the bundle holds. @throws GitFailedError for a bundle that was cut or changed */
export async function readBundle(file: string, directory: string): Promise<Repository> {
  await mkdir(directory, { mode: 0o700 });
  await initBare(directory);
  const told = (await runGit(directory, ['bundle', 'unbundle', file])).toString('latin1');
  const [, commit] = new RegExp(`^([0-9a-f]{40}) ${BRANCH}$`, 'm').exec(told) ?? [];
  if (commit === undefined) throw new GitFailedError('Failed', 'the repository of the agent has no commit');
  await runGit(directory, ['update-ref', BRANCH, commit]);
  const repository = await readRepository(directory);
  if (repository === undefined) throw new GitFailedError('Failed', `${directory} is no repository`);
  return repository;
}

/** A commit with its history. */
export interface CommitPack {
  /** Is cut off where git fails, which {@link storePack} notices. */
  readonly stream: Readable;
  /** To be called also after the end. @throws GitFailedError where git failed by itself: the cause of a stream that was cut off */
  readonly stop: () => Promise<void>;
}

export function writePack({ directory }: Repository, commit: string): CommitPack {
  const { child, ended } = startGit(directory, ['pack-objects', '--revs', '--stdout', '-q']);
  child.stdin.end(`${commit}\n`);
  const stop = async (): Promise<void> => {
    const endedItself = child.exitCode !== null;
    child.kill('SIGKILL');
    child.stdout.destroy();
    await ended.catch((error: unknown) => {
      if (endedItself) throw error;
    });
  };
  // A process that ends takes along what nobody has begun to read.
  return { stream: child.stdout.pipe(new PassThrough()), stop };
}

/**
 * @param input      the end of the pack is enough; it need not end itself
 * @param directory  new: the repository with the commit
 * @throws GitFailedError for a pack that was cut or changed, or is of another commit
 */
export async function readPack(input: Readable, commit: string, directory: string): Promise<Repository> {
  await mkdir(directory, { mode: 0o700 });
  await initBare(directory);
  await storePack(input, commit, directory);
  return { directory, head: commit };
}

/** As {@link readPack}, in a repository without commits. */
async function storePack(input: Readable, commit: string, directory: string): Promise<void> {
  const { child, ended } = startGit(directory, ['index-pack', '--stdin', '--strict']);
  input.pipe(child.stdin);
  child.stdout.resume();
  try {
    await ended;
  } finally {
    input.unpipe().destroy();
  }
  await runGit(directory, ['update-ref', BRANCH, commit]);
}

/** Brings a commit with its history into a repository without commits. @throws GitFailedError that of the side that failed first */
export async function copyCommit(from: Repository, commit: string, directory: string): Promise<void> {
  const { stream, stop } = writePack(from, commit);
  try {
    await storePack(stream, commit, directory);
  } finally {
    await stop();
  }
}
