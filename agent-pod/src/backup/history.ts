/** The commits of a repository, and the one that somebody means. */
import type { Head } from '@retainer/journal/journal';
import { z } from 'zod';
import { HEADS_FILE } from './capture.ts';
import { parseMessage, type CommitNote } from './commit-message.ts';
import { runGit } from './git.ts';
import { readObjects, type Tree } from './objects.ts';
import { commitOf, type Repository } from './repository.ts';

export interface CommitEntry extends CommitNote {
  readonly commit: string;
}

/** Newest first. Commits of anybody else are not among them. */
export async function listCommits({ directory, head }: Repository): Promise<readonly CommitEntry[]> {
  if (head === undefined) return [];
  const ids = (await runGit(directory, ['rev-list', head])).toString('latin1').split('\n').slice(0, -1);
  return readCommits(directory, ids);
}

/** @returns undefined for a commit of anybody else */
export async function readCommit(directory: string, commit: string): Promise<CommitEntry | undefined> {
  return (await readCommits(directory, [commit]))[0];
}

async function readCommits(directory: string, ids: readonly string[]): Promise<readonly CommitEntry[]> {
  const entries: CommitEntry[] = [];
  let next = 0;
  for await (const bytes of readObjects(directory, 'commit', ids)) {
    const commit = ids[next] ?? '';
    next += 1;
    const text = bytes.toString('utf8');
    const note = parseMessage(text.slice(text.indexOf('\n\n') + 2));
    if (note !== undefined) entries.push({ commit, ...note });
  }
  return entries;
}

/** `2026-01-31`, or with a time, a zone or both. */
const MOMENT = /^\d{4}-\d\d-\d\d(?:[T ]|$)/;
const COMMIT = /^[0-9a-f]{4,40}$/;

/**
 * @param typed  a moment: then the newest commit that is not later; or the id of a commit, or its beginning
 * @returns undefined if there is none
 */
export async function findCommit(repository: Repository, typed: string): Promise<CommitEntry | undefined> {
  const commits = await listCommits(repository);
  if (MOMENT.test(typed)) {
    const atMs = Date.parse(typed);
    return commits.find((entry) => entry.atMs <= atMs);
  }
  if (!COMMIT.test(typed)) return undefined;
  const commit = await commitOf(repository.directory, typed);
  return commits.find((entry) => entry.commit === commit);
}

const count = z.int().nonnegative();
const Heads = z.object({
  heads: z.array(z.object({ store: z.string(), seq: count, hash: z.string(), epoch: count })),
});

/** The ends of all stores that a commit has. */
export async function headsIn(directory: string, tree: Tree): Promise<readonly Head[]> {
  const entry = tree.get(HEADS_FILE);
  if (entry === undefined) return [];
  for await (const bytes of readObjects(directory, 'blob', [entry.blobId]))
    return Heads.parse(JSON.parse(bytes.toString('utf8'))).heads;
  return [];
}
