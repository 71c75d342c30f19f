/**
 * The second copy of a data directory: each call of {@link Backup.commit} adds to the repository what is new.
 *
 * DATA/git            the repository
 *   journal/          segments in pieces that never change (`chunks.ts`), blobs, checkpoints
 *   configuration/    agent, character and skills as the record has them: without secrets
 *   workspace/        files (`workspace.ts`); left-out.json at the top says which are not there, and why
 *   heads.json        where each store ends
 *
 * I1  Nothing but DATA/git is written, so a failure costs the copy and never the record.
 * I2  A commit holds what a power loss at that moment could have left (`moment.ts`); a restored copy verifies and opens.
 *
 * Source: reliability-security 1, 7. Differs: springdrift commits the live directory, logs anew with each commit.
 */
import { join } from 'node:path';
import type { Clock } from '@retainer/contract/std/clock';
import type { Head } from '@retainer/journal/journal';
import { momentOf } from '@retainer/journal/moment';
import { changesOf } from './capture.ts';
import { renderMessage, type BackupCause } from './commit-message.ts';
import { headsIn } from './history.ts';
import { readTree, type TreeEntry } from './objects.ts';
import {
  commitOf,
  BRANCH,
  repackIfMany,
  REPOSITORY,
  syncNames,
  withRepository,
  type OpenedRepository,
} from './repository.ts';
import { writeChanges } from './write-changes.ts';
import { workspaceOf, type KnownFiles, type LeftOut } from './workspace.ts';
import { openJournalReader } from '@retainer/journal/open-reader';

export interface BackupOptions {
  readonly dataDirectory: string;
  /** Whether a text holds a known secret in any form; it gets the text as JSON (`secretFinder`). */
  readonly holdsSecret: (text: string) => boolean;
  readonly clock: Clock;
}

export interface BackupMade {
  /** The commit that has everything as it is now. */
  readonly commit: string;
  /** False if nothing had changed. */
  readonly isNew: boolean;
  readonly heads: readonly Head[];
  readonly files: number;
  readonly runs: readonly string[];
  readonly leftOut: readonly LeftOut[];
  readonly notices: readonly string[];
}

export class Backup {
  readonly directory: string;
  readonly #options: BackupOptions;
  readonly #known: KnownFiles = new Map();
  #recorded: RecordedConfiguration | undefined;
  #last: { readonly commit: string; readonly tree: Map<string, TreeEntry> } | undefined;

  constructor(options: BackupOptions) {
    this.#options = options;
    this.directory = join(options.dataDirectory, REPOSITORY);
  }

  /** @throws GitFailedError, LockHeldError while another process makes one, or the file system's own error */
  commit(cause: BackupCause, signal?: AbortSignal): Promise<BackupMade> {
    return withRepository(this.directory, async (repository) => {
      const made = await this.#commit(repository, cause, signal);
      const trouble = made.isNew ? await repackIfMany(repository.directory, signal) : undefined;
      return trouble === undefined ? made : { ...made, notices: [...made.notices, trouble] };
    });
  }

  async #commit(
    repository: OpenedRepository,
    cause: BackupCause,
    signal: AbortSignal | undefined,
  ): Promise<BackupMade> {
    const { dataDirectory, holdsSecret, clock } = this.#options;
    const journalDirectory = join(dataDirectory, 'journal');
    const tree = await this.#treeOf(repository);
    const atMs = clock.nowMs();
    const moment = await momentOf(journalDirectory);
    this.#recorded ??= await recordedConfiguration(journalDirectory, clock);
    const { agent, configuration } = this.#recorded;
    const workspace = workspaceOf(join(dataDirectory, 'workspace'), holdsSecret, this.#known);
    const before = await headsIn(repository.directory, tree);
    const { heads } = moment;
    const written = await writeChanges(
      { repository, signal },
      changesOf({ journalDirectory, tree, moment, configuration, workspace }),
      { atMs, message: (runs) => renderMessage({ agent, atMs, cause, runs, heads: changedHeads(before, heads) }) },
    );
    const isNew = written.changes > 0;
    const commit = isNew ? await commitOf(repository.directory, BRANCH) : repository.head;
    if (commit === undefined) throw new Error('heads.json is in the first commit, and then there is one');
    if (isNew) await syncNames(repository.directory);
    written.apply(tree);
    this.#last = { commit, tree };
    const { notices } = repository;
    const { runs, files } = written;
    return { commit, isNew, heads, files, runs, leftOut: workspace.leftOut, notices };
  }

  /** Reading it takes a second in a long life, so it is kept from one commit to the next. */
  async #treeOf({ directory, head }: OpenedRepository): Promise<Map<string, TreeEntry>> {
    const last = this.#last;
    this.#last = undefined;
    if (head === undefined) return new Map();
    return last?.commit === head ? last.tree : new Map(await readTree(directory, head));
  }
}

function changedHeads(before: readonly Head[], now: readonly Head[]): readonly Head[] {
  const hashes = new Map(before.map(({ store, hash }) => [store, hash]));
  return now.filter(({ store, hash }) => hashes.get(store) !== hash);
}

/** The configuration of the agent as its record has it, and so without secrets. */
interface RecordedConfiguration {
  /** `NAMESPACE/NAME`. */
  readonly agent: string;
  /** By the name of its file. */
  readonly configuration: Readonly<Record<string, unknown>>;
}

const MEMBERS = ['agent', 'character', 'skills'] as const;

/** The newest one. A record in which an agent never started has none. */
async function recordedConfiguration(directory: string, clock: Clock): Promise<RecordedConfiguration> {
  const reader = await openJournalReader({ directory, clock });
  let agent = 'unknown';
  for await (const { payload } of reader.read('system')) {
    const { agentUid } = payload as { readonly agentUid?: unknown };
    if (typeof agentUid === 'string' && !/\s/.test(agentUid)) agent = agentUid;
    break;
  }
  let newest: Readonly<Record<string, unknown>> = {};
  for await (const { kind, payload } of reader.read('agent'))
    if (kind === 'Configured') newest = payload as Readonly<Record<string, unknown>>;
  return {
    agent,
    configuration: Object.fromEntries(MEMBERS.flatMap((name) => (name in newest ? [[name, newest[name]]] : []))),
  };
}
