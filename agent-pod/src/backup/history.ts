/** The commits of a repository, and the one that somebody means. */
import { shownCommit } from '@retainer/contract/std/shown-commit';
import { utcDate } from '@retainer/contract/std/utc-date';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { Head } from '@retainer/journal/journal';
import { z } from 'zod';
import { HEADS_FILE } from './capture.ts';
import { parseMessage, type CommitNote } from './commit-message.ts';
import { readingOf } from './damaged-copy.ts';
import { runGit } from './git.ts';
import { readObjects, type Tree } from './objects.ts';
import type { Repository } from './repository.ts';

export interface CommitEntry extends CommitNote {
  readonly commit: string;
}

/** Newest first. Commits of anybody else are not among them. @throws DamagedCopyError, GitFailedError */
export function listCommits({ directory, head }: Repository): Promise<readonly CommitEntry[]> {
  if (head === undefined) return Promise.resolve([]);
  return readingOf(`the history in ${directory} is damaged`, async () => {
    const ids = (await runGit(directory, ['rev-list', head])).toString('latin1').split('\n').slice(0, -1);
    return readCommits(directory, ids);
  });
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

const MOMENT = /^\d{4}-\d\d-\d\d(?:[T ]|$)/;
/** `2026-01-31`, also with a time, and then also with a zone. */
const MOMENT_PARTS = /^(\S{10})(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(?: ?(Z|UTC|[+-]\d\d:\d\d))?)?$/;
/** A record will never have more. */
const ORDER = /^\d{1,15}$/;
const COMMIT = /^[0-9a-f]{4,40}$/;

/**
 * @param typed  a moment: then the newest commit that is not later; a place in the order of the record, digits alone: then the newest
 *               commit that holds nothing beyond it; or the id of a commit, or its beginning. Undefined: the newest commit
 * @returns why there is none, in a sentence for people
 */
export async function findCommit(
  repository: Repository,
  typed: string | undefined,
): Promise<Result<CommitEntry, string>> {
  const commits = await listCommits(repository);
  const [newest] = commits;
  const first = commits.at(-1);
  if (newest === undefined || first === undefined)
    return err(`${repository.directory} holds no commit of an agent on this branch: name another one with --branch`);
  if (typed === undefined)
    return newest.commit === repository.head
      ? ok(newest)
      : err(
          `${repository.head} is the newest commit of ${repository.directory}, and no agent made it: look at it, or name ` +
            `the agent's own newest one, ${shownCommit(newest.commit)}`,
        );
  const none = `no commit is ${JSON.stringify(typed)}`;
  if (MOMENT.test(typed)) {
    const atMs = momentMs(typed);
    const found = commits.find((entry) => entry.atMs <= atMs);
    if (Number.isNaN(atMs)) return err(`${none}: there is no such day or time`);
    return found === undefined ? err(`${none}: the first one is of ${new Date(first.atMs).toISOString()}`) : ok(found);
  }
  if (ORDER.test(typed)) {
    const found = newestUpTo(commits, Number(typed));
    return found === undefined
      ? err(`${none}: the first one ends at order ${first.lastOrder ?? 'unknown'}`)
      : ok(found);
  }
  return COMMIT.test(typed) ? byId(commits, typed) : err(`${none}: ${FORMS}`);
}

/**
 * Without a zone it is in UTC, as what commands show, on whatever machine it is read. A day alone means its beginning.
 *
 * @returns NaN: there is none
 */
function momentMs(typed: string): number {
  const [, day = '', time = '00:00', zone = 'Z'] = MOMENT_PARTS.exec(typed) ?? [];
  // Date.parse takes 30 February for 2 March.
  const isDay = utcDate(Date.parse(`${day}T00:00Z`)) === day;
  return isDay ? Date.parse(`${day}T${time}${zone === 'UTC' ? 'Z' : zone}`) : NaN;
}

const FORMS =
  'give a moment such as 2026-01-31T08:00:00Z, the order of a record, or a commit that retainer backup log lists';

function byId(commits: readonly CommitEntry[], typed: string): Result<CommitEntry, string> {
  const [found, other] = commits.filter(({ commit }) => commit.startsWith(typed));
  if (found === undefined) return err(`no commit is ${JSON.stringify(typed)}: ${FORMS}`);
  if (other !== undefined) return err(`${JSON.stringify(typed)} begins several commits: give more of its digits`);
  return ok(found);
}

/** A commit of files alone says no order: it ends where the one before it ended. @param commits  newest first */
function newestUpTo(commits: readonly CommitEntry[], order: number): CommitEntry | undefined {
  let found: CommitEntry | undefined;
  let lastOrder = Infinity;
  for (const entry of commits.toReversed()) {
    lastOrder = entry.lastOrder ?? lastOrder;
    if (lastOrder <= order) found = entry;
  }
  return found;
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
