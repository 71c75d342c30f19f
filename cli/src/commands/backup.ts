/** `retainer backup now|log|diff|show`: the second copy of a data directory, made and looked at. */
import { Backup, type BackupMade } from '@retainer/agent-pod/backup/backup';
import { writeBundle } from '@retainer/agent-pod/backup/bundle';
import { differenceOf, summaryOf, type StoreSummary, type Summary } from '@retainer/agent-pod/backup/difference';
import { findCommit, listCommits, type CommitEntry } from '@retainer/agent-pod/backup/history';
import type { Repository } from '@retainer/agent-pod/backup/repository';
import { secretFinder } from '@retainer/agent-pod/infer/secrets';
import { printable } from '@retainer/contract/std/printable';
import { shownCommit } from '@retainer/contract/std/shown-commit';
import { systemClock } from '@retainer/contract/std/system-clock';
import { renderPlural } from '@retainer/mind/explain/figures';
import { isOnCluster } from '../access/open-access.ts';
import type { PlaceFlags } from '../access/place.ts';
import { readEnvironment } from '../config.ts';
import { findDataDirectory } from '../data-directory.ts';
import { exitCodes } from '../exit-codes.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';
import { besideRepository, failing, findRepository, type RepositoryFlags } from './repository-place.ts';

export interface NowFlags extends PlaceFlags {
  readonly output: OutputFormat;
}

export async function nowCommand(flags: NowFlags): Promise<number> {
  const environment = readEnvironment();
  const output = createOutput(flags.output, environment.colour);
  if (isOnCluster(flags)) return refuse(output, MADE_BY_AGENT);
  const directory = await findDataDirectory(flags.data);
  if (!directory.ok) return refuse(output, directory.error);
  const holdsSecret = secretFinder(environment.secrets);
  const backup = new Backup({
    ...{ dataDirectory: directory.value, holdsSecret, clock: systemClock },
    // The agent may have had variables that are not set here.
    knowsAllSecrets: false,
  });
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
  'an agent on a cluster makes its own backup, because only it knows its secrets: soon after each run, and each spec.memory.gitCommitInterval; retainer backup log lists them';

function tellMade(output: Output, { commit, isNew, files, heads, leftOut }: BackupMade, directory: string): void {
  if (isNew)
    output.line(
      `${shownCommit(commit)}  ${renderPlural(files, 'file')} added, ${renderPlural(heads.length, 'store')}`,
      'Good',
    );
  else output.line(`${shownCommit(commit)}  nothing has changed since this commit`);
  for (const { path = 'a file', why } of leftOut)
    output.line(printable(`left out  ${path}: ${leftOutBecause[why]}`), 'Warning');
  output.line(`in ${directory}`, 'Quiet');
}

const leftOutBecause = {
  HoldsSecret: 'it holds a secret that this process knows, or that the last commit knew',
  TooLarge: 'it is larger than 10 MiB',
  NoPlainFile: 'it is a link or no file',
  NotReadable: 'it cannot be read',
  TooMany: 'the workspace has more files than a commit takes',
} as const satisfies Record<BackupMade['leftOut'][number]['why'], string>;

export function logCommand(flags: RepositoryFlags): Promise<number> {
  return looking(flags, { words: ['log'] }, async (repository, output) => {
    const commits = await listCommits(repository);
    output.data(commits);
    for (const entry of commits) output.line(printable(lineOf(entry)));
    output.line(renderPlural(commits.length, 'commit'), 'Quiet');
    return exitCodes.done;
  });
}

function lineOf({ commit, atMs, subject, lastOrder }: CommitEntry): string {
  const order = lastOrder === undefined ? '' : `order ${lastOrder}`;
  return `${shownCommit(commit)}  ${new Date(atMs).toISOString()}  ${order.padEnd(12)}  ${subject}`;
}

/** Runs what only looks at a repository: here, or beside the agent on a cluster. */
function looking(
  flags: RepositoryFlags,
  { words, given = [] }: { readonly words: readonly string[]; readonly given?: readonly string[] },
  look: (repository: Repository, output: Output) => Promise<number>,
): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  const here = (): Promise<number> =>
    failing(output, async () => {
      const repository = await findRepository(flags);
      return repository.ok ? look(repository.value, output) : refuse(output, repository.error);
    });
  return besideRepository(flags, { words: ['backup', ...words], arguments: given }, { output, here });
}

export function diffCommand(older: string, newer: string | undefined, flags: RepositoryFlags): Promise<number> {
  const given = newer === undefined ? [older] : [older, newer];
  return looking(flags, { words: ['diff'], given }, async (repository, output) => {
    const from = await findCommit(repository, older);
    if (!from.ok) return refuse(output, from.error);
    const to = await findCommit(repository, newer);
    if (!to.ok) return refuse(output, to.error);
    const [first, last] = [shownCommit(from.value.commit), shownCommit(to.value.commit)];
    if (from.value.atMs > to.value.atMs)
      return refuse(output, `${first} is later than ${last}: name the older one first`);
    const commits = { older: from.value.commit, newer: to.value.commit };
    const difference = await differenceOf(repository.directory, commits);
    output.data({ from: from.value, to: to.value, ...difference });
    tellSummary(output, difference);
    output.line(`${renderPlural(recordsOf(difference), 'record')} from ${first} to ${last}`, 'Quiet');
    return exitCodes.done;
  });
}

function recordsOf({ stores }: Summary): number {
  return stores.reduce((sum, store) => sum + countOf(store), 0);
}

function countOf({ kinds }: StoreSummary): number {
  return Object.values(kinds).reduce((sum, count) => sum + count, 0);
}

function tellSummary(output: Output, { stores, files }: Summary): void {
  for (const store of stores) output.line(storeLine(store));
  for (const { path, what } of files) output.line(printable(`${what.toLowerCase().padEnd(8)} ${path}`));
}

function storeLine(summary: StoreSummary): string {
  const { store, kinds, fromSeq, toSeq } = summary;
  const told = Object.entries(kinds).map(([kind, count]) => `${kind} ${count}`);
  return `${store}  ${renderPlural(countOf(summary), 'record')} (${(fromSeq ?? -1) + 1} to ${toSeq}): ${told.join(', ')}`;
}

export function showCommand(typed: string | undefined, flags: RepositoryFlags): Promise<number> {
  const given = typed === undefined ? [] : [typed];
  return looking(flags, { words: ['show'], given }, async (repository, output) => {
    const found = await findCommit(repository, typed);
    if (!found.ok) return refuse(output, found.error);
    const { value: entry } = found;
    const commits = await listCommits(repository);
    const parent = commits[commits.findIndex(({ commit }) => commit === entry.commit) + 1]?.commit;
    const summary = await summaryOf(repository.directory, { older: parent, newer: entry.commit });
    output.data({ ...entry, parent, ...summary });
    tellEntry(output, entry);
    tellSummary(output, summary);
    const since = parent === undefined ? 'the first commit' : `since ${shownCommit(parent)}`;
    output.line(`${renderPlural(recordsOf(summary), 'record')}, ${since}`, 'Quiet');
    return exitCodes.done;
  });
}

function tellEntry(output: Output, { commit, atMs, subject, agent, individual, ...entry }: CommitEntry): void {
  const { runs, firstOrder, lastOrder } = entry;
  const rows: readonly (readonly [string, string])[] = [
    ['commit', commit],
    ['when', new Date(atMs).toISOString()],
    ['agent', individual === undefined ? agent : `${agent}, individual ${individual}`],
    ['what', subject],
    ...runs.map(({ runId, outcome }) => ['run', outcome === undefined ? runId : `${runId} ${outcome}`] as const),
    ...(lastOrder === undefined ? [] : [['orders', `${firstOrder ?? lastOrder} to ${lastOrder}`] as const]),
  ];
  for (const [name, value] of rows) output.line(printable(`${name.padEnd(LABEL_WIDTH)} ${value}`));
}

/** Of the longest label. */
const LABEL_WIDTH = 8;

/** The whole repository to standard output, for a look at it on another machine. */
export function bundleCommand(flags: RepositoryFlags): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  return failing(output, async () => {
    const repository = await findRepository(flags);
    if (!repository.ok) return refuse(output, repository.error);
    await writeBundle(repository.value, process.stdout);
    return exitCodes.done;
  });
}
