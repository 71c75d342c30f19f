/**
 * Fetches a branch of a remote into a repository of this machine.
 *
 * I1  As a push: no configuration but ours, one kind of address, and credentials as `remote-access.ts` hands them over.
 * I2  Every object that comes is checked by git (`transfer.fsckObjects`), and nothing of the remote but its branch is asked for.
 */
import { mkdir } from 'node:fs/promises';
import { ENV } from '@retainer/contract/api/names';
import { GitFailedError, runGit, type GitOptions } from './git.ts';
import { withAccessTo, whyRefused, type RemoteAddress } from './remote-access.ts';
import { BRANCH, initBare, readRepository, type Repository } from './repository.ts';

export interface FetchedRemote extends RemoteAddress {
  /** Default: the one that the remote itself shows first. */
  readonly branch?: string | undefined;
}

/** A whole history, some GB over a slow line. */
const FETCH_MS = 3_600_000;
/** The list of branches. */
const LOOK_MS = 60_000;

/** Told of a remote that has many. */
const BRANCHES_TOLD_MAX = 10;

/**
 * @param directory  new: a bare repository with {@link BRANCH}
 * @param beside  `known`: beside which the known keys of servers are (`withAccessTo`); by default the directory
 * @throws GitFailedError  a sentence for people
 */
export async function fetchRemote(
  remote: FetchedRemote,
  directory: string,
  { known = directory, signal }: { readonly known?: string; readonly signal?: AbortSignal | undefined } = {},
): Promise<Repository> {
  await mkdir(directory, { mode: 0o700 });
  await initBare(directory);
  const { url } = remote;
  await withAccessTo(remote, known, async (given) => {
    const access = { ...given, signal };
    const branches = await asked(remote, () => branchesOf(directory, url, access));
    const branch = chosenBranch(remote, branches);
    const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--', url];
    await asked(remote, () => runGit(directory, [...args, `${branch}:${BRANCH}`], { timeoutMs: FETCH_MS, ...access }));
  });
  const repository = await readRepository(directory);
  if (repository === undefined) throw new GitFailedError('Failed', `${directory} is no repository`);
  return repository;
}

interface RemoteBranches {
  /** The branch to which its HEAD leads. */
  readonly first: string | undefined;
  readonly names: readonly string[];
}

const PREFIX = 'refs/heads/';

async function branchesOf(directory: string, url: string, access: GitOptions): Promise<RemoteBranches> {
  const args = ['ls-remote', '--symref', '--', url, 'HEAD', `${PREFIX}*`];
  const lines = (await runGit(directory, args, { timeoutMs: LOOK_MS, ...access })).toString('utf8').split('\n');
  const names = lines.flatMap((line) => {
    const [, name] = /^[0-9a-f]{40,64}\t(refs\/heads\/\S+)$/.exec(line) ?? [];
    return name === undefined ? [] : [name];
  });
  const [, first] = /^ref: (refs\/heads\/\S+)\tHEAD$/m.exec(lines.join('\n')) ?? [];
  return { first: names.find((name) => name === first), names };
}

function chosenBranch({ url, branch }: FetchedRemote, { first, names }: RemoteBranches): string {
  const [only] = names;
  if (only === undefined) throw new GitFailedError('Failed', `the remote ${url} is empty: nothing was pushed to it`);
  const wanted = branch === undefined ? (first ?? (names.length === 1 ? only : undefined)) : `${PREFIX}${branch}`;
  const found = names.find((name) => name === wanted);
  if (found !== undefined) return found;
  const told = names.slice(0, BRANCHES_TOLD_MAX).map((name) => name.slice(PREFIX.length));
  const more = names.length > told.length ? `, and ${names.length - told.length} more` : '';
  const lacks = branch === undefined ? 'shows no branch first' : `has no branch ${branch}`;
  throw new GitFailedError('Failed', `the remote ${url} ${lacks}: name one with --branch: ${told.join(', ')}${more}`);
}

/** What git says of a remote that was to be read, and what it means. First match. */
const meanings: readonly (readonly [RegExp, string])[] = [
  [/dubious ownership/, 'it belongs to another user: give its directory in place of its address'],
  [
    /not found|does not appear to be a git repository|does not exist/,
    'there is no repository, or these credentials may not see it',
  ],
];
const ASKED = /could not read (?:Username|Password)|Authentication failed/;
const NO_CREDENTIALS = `it asks for a name and a password: set ${ENV.gitUsername} and ${ENV.gitPassword}`;

async function asked<T>({ url, credentials }: RemoteAddress, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof GitFailedError) || error.failure !== 'Failed') throw error;
    const { said } = error;
    const isNameless = credentials === undefined && ASKED.test(said);
    const meaning = isNameless ? NO_CREDENTIALS : meanings.find(([words]) => words.test(said))?.[1];
    const why = meaning ?? whyRefused(error);
    throw new GitFailedError('Failed', `nothing was fetched from ${url}: ${why}`, { cause: error });
  }
}
