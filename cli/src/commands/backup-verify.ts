/** `retainer backup verify`, and `retainer journal verify` of a clone: a commit rebuilt aside, checked, and taken away again. */
import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DamagedCopyError } from '@retainer/agent-pod/backup/damaged-copy';
import { findCommit } from '@retainer/agent-pod/backup/history';
import { rebuild } from '@retainer/agent-pod/backup/rebuild';
import type { Repository } from '@retainer/agent-pod/backup/repository';
import { shownCommit } from '@retainer/contract/std/shown-commit';
import { isOnCluster } from '../access/open-access.ts';
import { readEnvironment } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { createOutput, type Output } from '../output.ts';
import { refuse } from '../refuse.ts';
import { withTemporary } from '../removed-if-ended.ts';
import { tellVerification } from '../tell-verification.ts';
import { keptHeads, tellLater, verifyRebuilt } from '../verify-rebuilt.ts';
import {
  damageText,
  failing,
  findRepository,
  isDirectory,
  repositoryIn,
  twoPlaces,
  withFetched,
  type RepositoryFlags,
} from './repository-place.ts';

export interface BackupVerifyFlags extends RepositoryFlags {
  readonly heads?: string;
}

export async function backupVerifyCommand(typed: string | undefined, flags: BackupVerifyFlags): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  const fault = twoPlaces(flags);
  if (fault !== undefined) return refuse(output, fault);
  const verify = (repository: Repository): Promise<number> =>
    verifyCommit(output, { repository, typed, auditor: flags.heads });
  return failing(output, async () => {
    if (flags.repository === undefined && isOnCluster(flags)) return withFetched(flags, output, verify);
    const repository = await findRepository(flags);
    return repository.ok ? verify(repository.value) : refuse(output, repository.error);
  });
}

interface Verified {
  readonly repository: Repository;
  /** A commit, a moment or an order. */
  readonly typed: string | undefined;
  /** The own directory of an auditor. */
  readonly auditor: string | undefined;
}

async function verifyCommit(output: Output, { repository, typed, auditor }: Verified): Promise<number> {
  const found = await findCommit(repository, typed);
  if (!found.ok) return refuse(output, found.error);
  const kept = await keptHeads(auditor);
  if (kept === undefined) return refuse(output, `${auditor} is no directory of an auditor`);
  const { value: entry } = found;
  const { commit, atMs } = entry;
  return withTemporary('retainer-verify-', async (temporary) => {
    const directory = join(temporary, 'rebuilt');
    await mkdir(directory);
    try {
      const { heads } = await rebuild(repository, commit, directory);
      const { verification, later } = await verifyRebuilt(directory, { entry, heads, kept });
      const about = `commit ${shownCommit(commit)} of ${new Date(atMs).toISOString()}`;
      const place = `${shownCommit(commit)}:journal`;
      const data = { repository: repository.directory, commit, atMs, later };
      const code = await tellVerification(output, verification, { place, advice: OTHER_COMMIT, data });
      if (code === exitCodes.done) output.line(`${about}: every object of git, and all ${heads.length} heads`, 'Good');
      tellLater(output, later);
      return code;
    } catch (error) {
      if (!(error instanceof DamagedCopyError)) throw error;
      const data = { repository: repository.directory, commit, atMs, isSound: false, damage: error.message };
      output.data({ ...data, exitCode: exitCodes.record });
      return refuse(output, damageText(error), exitCodes.record);
    }
  });
}

const OTHER_COMMIT = 'restore another commit: retainer backup log lists them';

/** A repository, or files of one without it. */
export type Copy = { readonly kind: 'Repository'; readonly repository: Repository } | { readonly kind: 'PiecesOnly' };

/**
 * The copy that a directory is, where somebody expects a record: a bare repository, a clone with its files, or what lies in one.
 *
 * @returns undefined for anything else, such as a record
 */
export async function copyIn(directory: string): Promise<Copy | undefined> {
  const isInside = await holdsPieces(directory);
  const top = isInside ? dirname(resolve(directory)) : directory;
  const isCheckedOut = isInside || (await holdsPieces(join(directory, 'journal')));
  if (!isCheckedOut && (await isDirectory(join(directory, 'journal')))) return undefined;
  const isBare = await isDirectory(join(top, 'objects'));
  const isClone = await isDirectory(join(top, '.git'));
  const repository = isBare || isClone ? await repositoryIn(top) : undefined;
  if (repository !== undefined) return { kind: 'Repository', repository };
  return isCheckedOut ? { kind: 'PiecesOnly' } : undefined;
}

/** A segment of a record is a file, and in a copy a directory of its pieces. */
async function holdsPieces(journal: string): Promise<boolean> {
  const stores = await readdir(journal, { withFileTypes: true }).catch(() => []);
  for (const store of stores.filter((entry) => entry.isDirectory())) {
    const entries = await readdir(join(journal, store.name), { withFileTypes: true }).catch(() => []);
    if (entries.some((entry) => entry.isDirectory() && entry.name.endsWith('.jsonl'))) return true;
  }
  return false;
}

/** @param given  as somebody typed it */
export function verifyCopy(output: Output, copy: Copy, given: string, auditor: string | undefined): Promise<number> {
  if (copy.kind === 'PiecesOnly') return Promise.resolve(refuse(output, piecesOnly(given)));
  output.note(`${given} is a copy in a git repository: its commit is verified, not the files beside it`, 'Quiet');
  return failing(output, () => verifyCommit(output, { repository: copy.repository, typed: undefined, auditor }));
}

function piecesOnly(given: string): string {
  return `${given} holds files of a git repository without the repository: give a clone of it, made with git clone`;
}
