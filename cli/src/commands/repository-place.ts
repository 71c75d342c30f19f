/** Which repository a command means: of a data directory, a clone, or that of an agent on a cluster. */
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { readBundle } from '@retainer/agent-pod/backup/bundle';
import { DamagedCopyError } from '@retainer/agent-pod/backup/damaged-copy';
import { GitFailedError } from '@retainer/agent-pod/backup/git';
import { BRANCH_NAME, readRepository, REPOSITORY, type Repository } from '@retainer/agent-pod/backup/repository';
import { NotEmptyError } from '@retainer/agent-pod/backup/restore';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { LockHeldError } from '@retainer/journal/open-journal';
import { besideAgent, inPodOfAgent } from '../access/open-access.ts';
import { clusterOptions, type PlaceFlags } from '../access/place.ts';
import type { RecordCommand } from '../access/pod-record.ts';
import { findDataDirectory } from '../data-directory.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Output, OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';
import { withTemporary } from '../removed-if-ended.ts';

export interface RepositoryFlags extends PlaceFlags {
  readonly output: OutputFormat;
  readonly repository?: string;
  /** Of a clone. */
  readonly branch?: string;
}

/** @returns why the options mean two places; undefined if they do not */
export function twoPlaces({ repository, branch, ...place }: RepositoryFlags): string | undefined {
  if (repository === undefined)
    return branch === undefined ? undefined : '--branch means one of a clone: name that with --repository';
  const named = [...(place.data === undefined ? [] : ['--data']), ...clusterOptions(place)];
  if (named.length === 0) return undefined;
  return `--repository means a clone here and ${named.join(', ')} another place: leave one of them out`;
}

/** Runs a command that only looks at the repository where that is. @param here  the same on this machine */
export function besideRepository(
  flags: RepositoryFlags,
  command: RecordCommand,
  told: { readonly output: Output; readonly here: () => Promise<number> },
): Promise<number> {
  const fault = twoPlaces(flags);
  if (fault !== undefined) return Promise.resolve(refuse(told.output, fault));
  return flags.repository === undefined ? besideAgent(flags, { ...command, usesGit: true }, told) : told.here();
}

/** Fetches the repository of an agent on a cluster. @param use  what is done with it while it is here; it is gone afterwards */
export function withFetched(
  flags: RepositoryFlags,
  output: Output,
  use: (repository: Repository) => Promise<number>,
): Promise<number> {
  return withTemporary('retainer-fetched-', async (directory) => {
    const file = join(directory, 'bundle');
    const out = createWriteStream(file, { mode: 0o600 });
    const { err: told } = output.foreign();
    const code = await inPodOfAgent(flags, BUNDLE, { output, streams: { out, err: told } });
    out.end();
    await finished(out);
    return code === exitCodes.done ? await use(await readBundle(file, join(directory, 'git'))) : code;
  });
}

const BUNDLE: RecordCommand = { words: ['backup', 'bundle'], usesGit: true };

/** The repository that the options mean on this machine, also beside a journal that is gone. */
export async function findRepository(flags: RepositoryFlags): Promise<Result<Repository, string>> {
  const { repository, branch, data } = flags;
  if (repository !== undefined) {
    const found = await repositoryIn(repository, branch);
    return found === undefined ? err(await noRepository(repository)) : ok(found);
  }
  const directory = data === undefined ? await findDataDirectory(undefined) : ok(data);
  if (!directory.ok) return directory;
  const found = await readRepository(join(directory.value, REPOSITORY), BRANCH_NAME);
  return found === undefined ? err(await noRepository(directory.value)) : ok(found);
}

/**
 * The repository that a directory is, or holds: as a clone, bare or checked out, or as a data directory.
 *
 * @returns undefined: none
 */
export async function repositoryIn(directory: string, branch?: string): Promise<Repository | undefined> {
  if (await isDirectory(join(directory, REPOSITORY, 'objects')))
    return readRepository(join(directory, REPOSITORY), branch ?? BRANCH_NAME);
  for (const place of [join(directory, '.git'), directory]) {
    const found = await isDirectory(join(place, 'objects'));
    if (found) return readRepository(place, branch);
  }
  return undefined;
}

export async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

async function noRepository(directory: string): Promise<string> {
  if (!(await isDirectory(directory))) return `${directory} is no directory`;
  return (await isDirectory(join(directory, 'journal')))
    ? `${directory} has no repository yet: retainer backup now --data ${directory} makes it`
    : `${directory} is no repository, no clone of one and no data directory`;
}

/** Failures that a person can act upon, as a sentence. */
export async function failing(output: Output, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LockHeldError)
      return refuse(output, 'a backup is being made, or a restoring: try again', exitCodes.held);
    if (error instanceof DamagedCopyError) return refuse(output, damageText(error), exitCodes.record);
    if (error instanceof GitFailedError) return refuse(output, error.message, exitCodes.failed);
    if (error instanceof NotEmptyError) return refuse(output, error.message);
    const text = fileFaultText(error);
    if (text !== undefined) return refuse(output, text, exitCodes.failed);
    throw error;
  }
}

export function damageText({ message }: DamagedCopyError): string {
  return `${message}; take another commit, or another copy`;
}

/** @returns undefined for anything but a fault of the file system that a person can act upon */
export function fileFaultText(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path = 'a file', dest = path } = error as NodeJS.ErrnoException & { readonly dest?: string };
  if (code === 'ENOSPC' || code === 'EDQUOT') return OUT_OF_SPACE;
  if (code === 'ENOTEMPTY' || code === 'EEXIST')
    return `${dest} is in the way, and nothing is written over anything: move it elsewhere, and give the command again`;
  if (code === 'ENOENT') return `${path} is not there, or went away in the middle of the work: give the command again`;
  return undefined;
}

const OUT_OF_SPACE =
  'no space is left: make room, or choose other places by --to and by the variable TMPDIR, in which copies are rebuilt';
