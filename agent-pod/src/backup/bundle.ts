/** A whole repository as one stream, for somebody who has only a pipe to it. */
import { mkdir } from 'node:fs/promises';
import type { Writable } from 'node:stream';
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
