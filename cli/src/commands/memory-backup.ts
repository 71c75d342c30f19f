/** `retainer memory backup|log|diff|restore`: the second copy of a data directory. */
import { join } from 'node:path';
import { Backup, type BackupMade } from '@retainer/agent-pod/backup/backup';
import { writeBundle } from '@retainer/agent-pod/backup/bundle';
import { differenceOf, type StoreDifference } from '@retainer/agent-pod/backup/difference';
import { GitFailedError } from '@retainer/agent-pod/backup/git';
import { findCommit, listCommits, type CommitEntry } from '@retainer/agent-pod/backup/history';
import { readRepository, REPOSITORY, type Repository } from '@retainer/agent-pod/backup/repository';
import { NotEmptyError, restore } from '@retainer/agent-pod/backup/restore';
import { secretFinder } from '@retainer/agent-pod/infer/secrets';
import { printable } from '@retainer/contract/std/printable';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { Head } from '@retainer/journal/journal';
import { LockHeldError } from '@retainer/journal/open-journal';
import { renderPlural, renderSize } from '@retainer/mind/explain/figures';
import { isOnCluster } from '../access/open-access.ts';
import type { PlaceFlags } from '../access/place.ts';
import { readEnvironment } from '../config.ts';
import { findDataDirectory } from '../data-directory.ts';
import { exitCodes } from '../exit-codes.ts';
import { readKeptHeads } from '../kept-heads.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';
import { findingOf, isSound, renderFault, verifyRecord, type Verification } from '../verify-record.ts';
import { besideRepository, twoPlaces, withFetched, type RepositoryFlags } from './fetched-repository.ts';

export interface BackupFlags extends PlaceFlags {
  readonly output: OutputFormat;
}

export interface RestoreFlags extends RepositoryFlags {
  readonly at: string;
  readonly to: string;
  readonly heads?: string;
}

/** Digits that suffice for people to tell commits apart. */
const COMMIT_DIGITS = 12;
const FAULTS_SHOWN = 5;

function shown(commit: string): string {
  return commit.slice(0, COMMIT_DIGITS);
}

export async function backupCommand(flags: BackupFlags): Promise<number> {
  const environment = readEnvironment();
  const output = createOutput(flags.output, environment.colour);
  if (isOnCluster(flags)) return refuse(output, MADE_BY_AGENT);
  const directory = await findDataDirectory(flags.data);
  if (!directory.ok) return refuse(output, directory.error);
  const holdsSecret = secretFinder(environment.secrets);
  const backup = new Backup({ dataDirectory: directory.value, holdsSecret, clock: systemClock });
  return failing(output, async () => {
    const made = await backup.commit();
    for (const notice of made.notices) output.note(notice, 'Warning');
    output.data({ repository: backup.directory, ...made });
    tellMade(output, made, backup.directory);
    return exitCodes.done;
  });
}

/** Only the agent knows its secrets, so only it knows which files must stay out. */
const MADE_BY_AGENT =
  'an agent on a cluster makes its own backup, because only it knows its secrets: soon after each run, and each spec.memory.gitCommitInterval; retainer memory log lists them';

function tellMade(output: Output, { commit, isNew, files, heads, leftOut }: BackupMade, directory: string): void {
  if (isNew)
    output.line(
      `${shown(commit)}  ${renderPlural(files, 'file')} added, ${renderPlural(heads.length, 'store')}`,
      'Good',
    );
  else output.line(`${shown(commit)}  nothing has changed since this commit`);
  for (const { path = 'a file', why } of leftOut)
    output.line(printable(`left out  ${path}: ${leftOutBecause[why]}`), 'Warning');
  output.line(`in ${directory}`, 'Quiet');
}

const leftOutBecause = {
  HoldsSecret: 'it holds a secret that this process knows',
  TooLarge: 'it is larger than 10 MiB',
  NoPlainFile: 'it is a link or no file',
  NotReadable: 'it cannot be read',
  TooMany: 'the workspace has more files than a commit takes',
} as const satisfies Record<BackupMade['leftOut'][number]['why'], string>;

export function logCommand(flags: RepositoryFlags): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  return besideRepository(flags, { words: ['memory', 'log'] }, { output, here: () => logHere(flags, output) });
}

function logHere(flags: RepositoryFlags, output: Output): Promise<number> {
  return failing(output, async () => {
    const repository = await findRepository(flags);
    if (!repository.ok) return refuse(output, repository.error);
    const commits = await listCommits(repository.value);
    output.data(commits);
    for (const entry of commits) output.line(printable(lineOf(entry)));
    output.line(renderPlural(commits.length, 'commit'), 'Quiet');
    return exitCodes.done;
  });
}

function lineOf({ commit, atMs, subject, heads }: CommitEntry): string {
  const ends = heads.map(({ store, seq }) => `${store} ${seq}`).join(', ');
  return `${shown(commit)}  ${new Date(atMs).toISOString()}  ${subject}  ${ends}`;
}

export function diffCommand(older: string, newer: string | undefined, flags: RepositoryFlags): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  const command = { words: ['memory', 'diff'], arguments: newer === undefined ? [older] : [older, newer] };
  return besideRepository(flags, command, { output, here: () => diffHere({ older, newer }, flags, output) });
}

interface Compared {
  readonly older: string;
  readonly newer: string | undefined;
}

function diffHere({ older, newer }: Compared, flags: RepositoryFlags, output: Output): Promise<number> {
  return failing(output, async () => {
    const repository = await findRepository(flags);
    if (!repository.ok) return refuse(output, repository.error);
    const from = await findCommit(repository.value, older);
    const to = await findCommit(repository.value, newer ?? repository.value.head ?? '');
    if (from === undefined) return refuse(output, noCommit(older));
    if (to === undefined) return refuse(output, noCommit(newer ?? 'the last commit'));
    if (from.atMs > to.atMs)
      return refuse(output, `${shown(from.commit)} is later than ${shown(to.commit)}: name the older one first`);
    const difference = await differenceOf(repository.value.directory, from.commit, to.commit);
    output.data({ from, to, ...difference });
    for (const store of difference.stores) output.line(storeLine(store));
    for (const { path, what } of difference.files) output.line(printable(`${what.toLowerCase().padEnd(8)} ${path}`));
    const records = difference.stores.reduce((sum, it) => sum + it.records.length, 0);
    output.line(`${renderPlural(records, 'record')} from ${shown(from.commit)} to ${shown(to.commit)}`, 'Quiet');
    return exitCodes.done;
  });
}

function storeLine({ store, records, fromSeq, toSeq }: StoreDifference): string {
  const kinds = new Map<string, number>();
  for (const { kind } of records) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const told = [...kinds].map(([kind, count]) => `${kind} ${count}`).join(', ');
  return `${store}  ${renderPlural(records.length, 'record')} (${(fromSeq ?? -1) + 1} to ${toSeq}): ${told}`;
}

export async function restoreCommand(flags: RestoreFlags): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  const fault = twoPlaces(flags);
  if (fault !== undefined) return refuse(output, fault);
  return failing(output, async () => {
    if (flags.repository === undefined && isOnCluster(flags))
      return withFetched(flags, output, (repository) => restoreFrom(repository, flags, output));
    const repository = await findRepository(flags);
    return repository.ok ? restoreFrom(repository.value, flags, output) : refuse(output, repository.error);
  });
}

async function restoreFrom(repository: Repository, flags: RestoreFlags, output: Output): Promise<number> {
  const entry = await findCommit(repository, flags.at);
  if (entry === undefined) return refuse(output, noCommit(flags.at));
  const kept = flags.heads === undefined ? [] : await readKeptHeads(flags.heads);
  if (kept === undefined) return refuse(output, `${flags.heads} is no directory of an auditor`);
  let seen: Seen | undefined;
  const isGood = async (directory: string, heads: readonly Head[]): Promise<boolean> => {
    seen = await verifyRestored(directory, heads, kept);
    return isSound(seen.verification);
  };
  const restored = await restore({ repository, commit: entry.commit, to: flags.to, isGood });
  if (seen === undefined) throw new Error('a restored directory is verified');
  return tellRestored(output, { flags, entry, seen, restored });
}

/** The whole repository to standard output, for a restore on another machine. */
export function bundleCommand(flags: BackupFlags): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  return failing(output, async () => {
    const repository = await findRepository(flags);
    if (!repository.ok) return refuse(output, repository.error);
    await writeBundle(repository.value, process.stdout);
    return exitCodes.done;
  });
}

interface Seen {
  readonly verification: Verification;
  /** Heads of the auditor that are later than the commit. */
  readonly later: readonly Head[];
}

/** The heads that an auditor saw after the commit cannot be in it; all others must be. */
async function verifyRestored(directory: string, heads: readonly Head[], kept: readonly Head[]): Promise<Seen> {
  const ends = new Map(heads.map(({ store, seq }) => [store, seq]));
  const isInside = ({ store, seq }: Head): boolean => seq <= (ends.get(store) ?? -1);
  const knownHeads = [...heads, ...kept.filter((head) => isInside(head))];
  const verification = await verifyRecord(join(directory, 'journal'), { knownHeads });
  return { verification, later: kept.filter((head) => !isInside(head)) };
}

interface RestoreEnd {
  readonly flags: RestoreFlags;
  readonly entry: CommitEntry;
  readonly seen: Seen;
  readonly restored: Awaited<ReturnType<typeof restore>>;
}

function tellRestored(output: Output, { flags, entry, seen, restored }: RestoreEnd): number {
  const { verification, later } = seen;
  const { commit, atMs } = entry;
  const code = restored === undefined ? (findingOf(verification)?.code ?? exitCodes.record) : exitCodes.done;
  output.data({ to: flags.to, commit, atMs, isRestored: restored !== undefined, ...restored, later, verification });
  const place = join(flags.to, 'journal');
  if (restored === undefined) {
    for (const fault of verification.faults.slice(0, FAULTS_SHOWN)) output.error(renderFault(fault, place));
    output.error(
      `${shown(commit)} was not restored: ${findingOf(verification)?.text ?? 'damaged'}; ${flags.to} is as it was`,
    );
    return code;
  }
  output.line(
    `${flags.to} is as of ${new Date(atMs).toISOString()} (${shown(commit)}): ${renderPlural(restored.files, 'file')}, ${renderSize(restored.bytes)}`,
    'Good',
  );
  output.line(
    `verified: ${renderPlural(verification.records, 'record')}, every hash, link and blob, and ${renderPlural(restored.heads.length, 'head')} of the commit`,
    'Good',
  );
  const stores = [...new Set(later.map(({ store }) => store))];
  if (stores.length > 0)
    output.line(`the auditor saw records after this commit, which are not in it: ${stores.join(', ')}`, 'Warning');
  return code;
}

function noCommit(typed: string): string {
  return `no commit is ${JSON.stringify(typed)}: give a moment such as 2026-01-31T08:00:00Z, or a commit that retainer memory log lists`;
}

/** Also beside a journal that is gone. */
async function findRepository({ repository, data }: RepositoryFlags): Promise<Result<Repository, string>> {
  const places = repository === undefined ? [] : [repository, join(repository, '.git')];
  if (repository === undefined && data !== undefined) places.push(join(data, REPOSITORY));
  if (places.length === 0) {
    const directory = await findDataDirectory(undefined);
    if (!directory.ok) return directory;
    places.push(join(directory.value, REPOSITORY));
  }
  for (const place of places) {
    const found = await readRepository(place);
    if (found !== undefined) return ok(found);
  }
  return err(`${places[0]} is no repository: retainer memory backup makes the one of a data directory`);
}

/** Failures that a person can act upon, as a sentence. */
async function failing(output: Output, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LockHeldError) return refuse(output, 'a backup is being made: try again', exitCodes.held);
    if (error instanceof GitFailedError) return refuse(output, error.message, exitCodes.failed);
    if (error instanceof NotEmptyError) return refuse(output, error.message);
    throw error;
  }
}
