/**
 * The second copy of a data directory: each call of {@link Backup.commit} adds to the repository what is new.
 *
 * DATA/git            the repository
 *   journal/          segments in pieces that never change (`chunks.ts`), blobs, checkpoints
 *   configuration/    agent, character and skills as the record has them: without secrets
 *   narrative/        a page for each day (`day-pages.ts`), for people and for `git blame`
 *   workspace/        files (`workspace.ts`); left-out.json at the top says which are not there, and why
 *   heads.json        where each store ends
 *
 * I1  Nothing but DATA/git is written, so a failure costs the copy and never the record.
 * I2  A commit holds what a power loss at that moment could have left (`moment.ts`); a restored copy verifies and opens.
 * I3  Everything in a commit, its author and its date come from the record and the files: the same record, committed at the same
 *     places, gives the same commits.
 * I4  Where nothing has changed since the last commit of this process, no process of git is started.
 *
 * Source: reliability-security 1, 7. Differs: springdrift commits the live directory, logs anew with each commit.
 */
import { join } from 'node:path';
import type { Clock } from '@retainer/contract/std/clock';
import type { Head } from '@retainer/journal/journal';
import { momentOf } from '@retainer/journal/moment';
import { changesOf } from './capture.ts';
import { renderMessage } from './commit-message.ts';
import { GitFailedError } from './git.ts';
import { headsIn, readCommit } from './history.ts';
import { keptOutOf } from './kept-out.ts';
import { readTree, type TreeEntry } from './objects.ts';
import {
  BRANCH,
  commitOf,
  namedCommit,
  noteJoined,
  repackIfMany,
  REPOSITORY,
  syncNames,
  withRepository,
  type OpenedRepository,
} from './repository.ts';
import { push, type Remote } from './push.ts';
import { rejoin } from './rejoin.ts';
import { readRecorded, type Recorded } from './recorded.ts';
import type { WhatCame } from './what-came.ts';
import { writeChanges } from './write-changes.ts';
import { workspaceOf, type KnownFiles, type LeftOut } from './workspace.ts';

export interface BackupOptions {
  readonly dataDirectory: string;
  /** Whether a text holds a known secret in any form; it gets the text as JSON (`secretFinder`). */
  readonly holdsSecret: (text: string) => boolean;
  /** False: the agent may know more secrets, so what the last commit left out for one stays out. Default: true. */
  readonly knowsAllSecrets?: boolean;
  readonly clock: Clock;
}

export interface BackupMade {
  /** The commit that has everything as it is now. */
  readonly commit: string;
  /** False if nothing had changed. */
  readonly isNew: boolean;
  readonly heads: readonly Head[];
  /** Put into this commit. */
  readonly files: number;
  readonly leftOut: readonly LeftOut[];
  readonly notices: readonly string[];
}

/** The last commit of this process, and what is in it. */
interface Last {
  readonly commit: string;
  readonly tree: Map<string, TreeEntry>;
}

const REJOINED =
  'the repository of the backup had begun anew: it goes on from the history at the remote, which is of this record';

export class Backup {
  readonly directory: string;
  readonly #options: BackupOptions;
  readonly #known: KnownFiles = new Map();
  #recorded: Recorded | undefined;
  #last: Last | undefined;
  #hasLooked = false;

  constructor(options: BackupOptions) {
    this.#options = options;
    this.directory = join(options.dataDirectory, REPOSITORY);
  }

  /** @throws GitFailedError, LockHeldError while another process makes one, or the file system's own error */
  async commit(signal?: AbortSignal): Promise<BackupMade> {
    const unchanged = await this.#unchanged();
    if (unchanged !== undefined) return unchanged;
    const make = async (repository: OpenedRepository): Promise<BackupMade> => {
      const made = await this.#commit(repository, signal);
      const trouble = made.isNew ? await repackIfMany(repository.directory, signal) : undefined;
      return trouble === undefined ? made : { ...made, notices: [...made.notices, trouble] };
    };
    const isFirst = !this.#hasLooked;
    this.#hasLooked = true;
    return withRepository(this.directory, make, isFirst);
  }

  /**
   * Pushes what is committed. Where the repository here was made anew, it goes on from the history at the remote.
   *
   * @returns the commit that the remote has now. @throws GitFailedError, LockHeldError, or the file system's own error
   */
  async push(remote: Remote, signal?: AbortSignal): Promise<Pick<BackupMade, 'commit' | 'notices'>> {
    try {
      return await this.#push(remote, signal);
    } catch (error) {
      const isOther = error instanceof GitFailedError && error.failure === 'Diverged';
      if (!isOther || !(await this.#rejoin(remote, signal))) throw error;
      const { notices } = await this.commit(signal);
      const pushed = await this.#push(remote, signal);
      return { ...pushed, notices: [REJOINED, ...notices, ...pushed.notices] };
    }
  }

  async #push(remote: Remote, signal: AbortSignal | undefined): Promise<Pick<BackupMade, 'commit' | 'notices'>> {
    const commit = await namedCommit(this.directory);
    const notices = await push(this.directory, remote, signal);
    await noteJoined(this.directory);
    return { commit: commit ?? '', notices };
  }

  #rejoin(remote: Remote, signal: AbortSignal | undefined): Promise<boolean> {
    const { dataDirectory, clock } = this.#options;
    return rejoin(this.directory, remote, { journalDirectory: join(dataDirectory, 'journal'), clock, signal });
  }

  /** Undefined unless the last commit of this process still has everything as it is. */
  async #unchanged(): Promise<BackupMade | undefined> {
    const last = this.#last;
    if (last === undefined || (await namedCommit(this.directory)) !== last.commit) return undefined;
    const { changes, heads, leftOut } = await this.#changesSince(last.tree);
    for await (const _ of changes) return undefined;
    return { commit: last.commit, isNew: false, heads, files: 0, leftOut, notices: [] };
  }

  async #changesSince(tree: Map<string, TreeEntry>) {
    const { dataDirectory, holdsSecret, knowsAllSecrets = true, clock } = this.#options;
    const journalDirectory = join(dataDirectory, 'journal');
    const keptOut = knowsAllSecrets ? {} : { keptOut: await keptOutOf(this.directory, tree) };
    const moment = await momentOf(journalDirectory);
    this.#recorded ??= await readRecorded(journalDirectory, clock);
    const { configuration } = this.#recorded;
    const workspace = workspaceOf(join(dataDirectory, 'workspace'), { holdsSecret, known: this.#known, ...keptOut });
    const changes = changesOf({ journalDirectory, tree, moment, configuration, workspace });
    return { changes, heads: moment.heads, leftOut: workspace.leftOut, recorded: this.#recorded };
  }

  async #commit(repository: OpenedRepository, signal: AbortSignal | undefined): Promise<BackupMade> {
    const tree = await this.#treeOf(repository);
    const { changes, heads, leftOut, recorded } = await this.#changesSince(tree);
    const before = await headsIn(repository.directory, tree);
    const written = await writeChanges({ repository, signal }, changes, async (came) => {
      const atMs = await timeOf(repository, came);
      const message = renderMessage({ ...recorded, atMs, heads: changedHeads(before, heads) }, came);
      return { message, author: authorOf(recorded), atMs };
    });
    const isNew = written.changes > 0;
    const commit = isNew ? await commitOf(repository.directory, BRANCH) : repository.head;
    if (commit === undefined) throw new Error('heads.json is in the first commit, and then there is one');
    if (isNew) await syncNames(repository.directory);
    written.apply(tree);
    this.#last = { commit, tree };
    return { commit, isNew, heads, files: written.files, leftOut, notices: repository.notices };
  }

  /** Reading it takes a second in a long life, so it is kept from one commit to the next. */
  async #treeOf({ directory, head }: OpenedRepository): Promise<Map<string, TreeEntry>> {
    const last = this.#last;
    this.#last = undefined;
    if (head === undefined) return new Map();
    return last?.commit === head ? last.tree : new Map(await readTree(directory, head));
  }
}

/** That of the newest record; of the commit before, if only files changed. Milliseconds since 1970. */
async function timeOf({ directory, head }: OpenedRepository, { last }: WhatCame): Promise<number> {
  if (last !== undefined) return last.timeMs;
  return (head === undefined ? undefined : await readCommit(directory, head))?.atMs ?? 0;
}

function changedHeads(before: readonly Head[], now: readonly Head[]): readonly Head[] {
  const hashes = new Map(before.map(({ store, hash }) => [store, hash]));
  return now.filter(({ store, hash }) => hashes.get(store) !== hash);
}

/** A domain that nobody can have: an individual is reached by other ways. */
const NOWHERE = 'retainer.invalid';

function authorOf({ agent, individual = 'unnamed' }: Recorded): string {
  return `${agent} <${individual}@${NOWHERE}>`;
}
