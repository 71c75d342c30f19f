/**
 * Pushes the branch of the repository to its remote.
 *
 * I1  Nothing is ever forced: a remote with another history keeps it, and the push fails.
 * I2  What is foreign in the repository is taken away first: a configuration could lead the commits elsewhere.
 */
import { GitFailedError, runGit } from './git.ts';
import { withAccessTo, whyRefused, type RemoteAddress } from './remote-access.ts';
import { BRANCH, disarm } from './repository.ts';

export interface Remote extends RemoteAddress {
  readonly branch: string;
}

/** A whole history, some GB over a slow line; one over which nothing comes is given up far earlier (`remote-access.ts`). */
const PUSH_MS = 3_600_000;

/** @returns what was found in the repository and taken away, in sentences for people. @throws GitFailedError */
export async function push(repository: string, remote: Remote, signal?: AbortSignal): Promise<readonly string[]> {
  const reference = `${BRANCH}:refs/heads/${remote.branch}`;
  const notices = await disarm(repository);
  try {
    await withAccessTo(remote, repository, async (access) => {
      const args = ['push', '--porcelain', '--no-verify', '--', remote.url, reference];
      await runGit(repository, args, { timeoutMs: PUSH_MS, signal, ...access });
    });
    return notices;
  } catch (error) {
    throw toldApart(error, remote);
  }
}

const OTHER_HISTORY = /Updates were rejected|non-fast-forward|\[rejected\]/;
const DIVERGED =
  'it has another history, which is never overwritten: a second life of this individual pushed there, or this record was restored ' +
  'as of an older commit, or the branch is of somebody else. End the second life; for the others, and if the remote keeps its ' +
  'commits, name a new branch in spec.memory.gitRemote.branch';

function toldApart(error: unknown, { url, branch }: Remote): unknown {
  if (!(error instanceof GitFailedError) || error.failure !== 'Failed') return error;
  const isDiverged = OTHER_HISTORY.test(error.said);
  const meaning = isDiverged ? DIVERGED : whyRefused(error);
  const told = `the remote ${url} did not take branch ${branch}: ${meaning}`;
  return new GitFailedError(isDiverged ? 'Diverged' : 'Failed', told, { cause: error });
}
