/** `retainer restore`: a data directory rebuilt from its second copy, verified, and only then under its name. */
import { join, resolve } from 'node:path';
import { writePack } from '@retainer/agent-pod/backup/bundle';
import { fetchRemote } from '@retainer/agent-pod/backup/fetch-remote';
import { findCommit, type CommitEntry } from '@retainer/agent-pod/backup/history';
import { markRestored } from '@retainer/agent-pod/backup/mark-restored';
import { lackingCredentials } from '@retainer/agent-pod/backup/remote-access';
import { remoteProxyUrl } from '@retainer/agent-pod/backup/remote-proxy';
import type { Repository } from '@retainer/agent-pod/backup/repository';
import type { Rebuilt } from '@retainer/agent-pod/backup/rebuild';
import { restore } from '@retainer/agent-pod/backup/restore';
import { programVersion } from '@retainer/agent-pod/boot/program-version';
import { ENV, MOUNTS } from '@retainer/contract/api/names';
import { printable } from '@retainer/contract/std/printable';
import { ok } from '@retainer/contract/std/result';
import { shownCommit } from '@retainer/contract/std/shown-commit';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { Head } from '@retainer/journal/journal';
import { renderPlural, renderSize } from '@retainer/mind/explain/figures';
import { isOnCluster, workOnVolumes } from '../access/open-access.ts';
import { clusterOptions, type PlaceFlags } from '../access/place.ts';
import { readEnvironment, type Environment } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { readAuthorities, readGitCredentials } from '../git-credentials.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';
import { removedIfEnded, withTemporary } from '../removed-if-ended.ts';
import { FAULTS_SHOWN } from '../tell-verification.ts';
import { findingOf, isSound, renderFault } from '../verify-record.ts';
import { keptHeads, tellLater, verifyRebuilt, type RebuiltVerification } from '../verify-rebuilt.ts';
import { failing, findRepository, withFetched } from './repository-place.ts';
import { restoreSource, type RestoreSource } from './restore-source.ts';

export interface RestoreFlags extends PlaceFlags {
  readonly output: OutputFormat;
  readonly from?: string;
  readonly branch?: string;
  readonly at?: string;
  readonly to?: string;
  readonly toVolume?: true;
  readonly individual?: string;
  readonly heads?: string;
  readonly by?: string;
}

export async function restoreCommand(flags: RestoreFlags): Promise<number> {
  const environment = readEnvironment();
  const output = createOutput(flags.output, environment.colour);
  const fault = faultOf(flags, environment);
  if (fault !== undefined) return refuse(output, fault);
  if (flags.toVolume) return failing(output, () => restoreToVolume({ flags, environment, output }));
  const kept = await keptHeads(flags.heads);
  if (kept === undefined) return refuse(output, `${flags.heads} is no directory of an auditor`);
  return failing(output, () =>
    withRepository({ flags, environment, output }, (repository) => {
      const { at, to = '', by = environment.userName } = flags;
      return restoreFrom(repository, { at, to, kept, by, output });
    }),
  );
}

function faultOf(flags: RestoreFlags, { caller }: Environment): string | undefined {
  const { from, branch, to, toVolume, individual, heads: _, ...place } = flags;
  if ((to === undefined) === (toVolume === undefined))
    return 'name where to: --to NEWDIR here, or --to-volume for the volume of an agent on a cluster';
  if (from === undefined && branch !== undefined) return '--branch means one of --from: give that, too';
  if (individual !== undefined && !toVolume) return '--individual means one for a volume: give --to-volume, too';
  if (toVolume) return volumeFaultOf(flags, caller.isPlugin);
  const named = [...(place.data === undefined ? [] : ['--data']), ...clusterOptions(place)];
  return from === undefined || named.length === 0
    ? undefined
    : `--from means one place and ${named.join(', ')} another: leave one of them out`;
}

function volumeFaultOf({ heads, ...place }: RestoreFlags, isPlugin: boolean): string | undefined {
  if (heads !== undefined) return '--heads takes a directory here: compare them first, with retainer backup verify';
  const isNamed = clusterOptions(place).length > 0 || isPlugin;
  return isNamed && place.data === undefined
    ? undefined
    : '--to-volume takes an agent on a cluster: -n NAMESPACE --agent NAME';
}

interface Asked {
  readonly flags: RestoreFlags;
  readonly environment: Environment;
  readonly output: Output;
}

type Use = (repository: Repository) => Promise<number>;

async function withRepository({ flags, environment, output }: Asked, use: Use): Promise<number> {
  const { from, branch } = flags;
  if (from === undefined && isOnCluster(flags)) return withFetched(flags, output, use);
  const source = from === undefined ? undefined : restoreSource(from);
  if (source?.ok === false) return refuse(output, source.error);
  if (source?.value.kind === 'Remote') return withRemote(source.value, { flags, environment, output }, use);
  const repository = await findRepository(
    source === undefined
      ? flags
      : { output: flags.output, repository: source.value.path, ...(branch === undefined ? {} : { branch }) },
  );
  return repository.ok ? use(repository.value) : refuse(output, repository.error);
}

async function withRemote(
  { url }: Extract<RestoreSource, { kind: 'Remote' }>,
  { flags: { branch }, environment, output }: Asked,
  use: Use,
): Promise<number> {
  const isAsked = !url.startsWith('file:');
  const credentials = isAsked ? await readGitCredentials(environment) : ok(undefined);
  if (!credentials.ok) return refuse(output, credentials.error);
  const { value } = credentials;
  const lacking = lackingCredentials(url, value);
  if (lacking !== undefined) return refuse(output, `${url} ${NEEDS[lacking]}`);
  const proxyUrl = remoteProxyUrl(url, environment.proxies);
  const authorities = await readAuthorities(environment.authoritiesFile);
  const remote = {
    ...{ url, branch },
    ...(value === undefined ? {} : { credentials: value }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    ...(authorities === undefined ? {} : { authorities }),
  };
  return withTemporary('retainer-fetched-', async (directory) =>
    use(await fetchRemote(remote, join(directory, 'git'))),
  );
}

const NEEDS = {
  Key: `is reached by ssh: let ${ENV.gitCredentials} name a directory with the file ssh-privatekey`,
  Password: `is reached over HTTP: let ${ENV.gitCredentials} name a directory with the files username and password`,
} as const;

/** In a pod of its own on the volume, which the agent does not use meanwhile: see `place.ts`. */
async function restoreToVolume({ flags, environment, output }: Asked): Promise<number> {
  const { at, from, individual } = flags;
  const place = (options: Readonly<Record<string, string | undefined>>): readonly string[] => [
    ...['retainer', 'backup', 'place', '--data', MOUNTS.data, '-o', flags.output],
    ...Object.entries({ individual, ...options }).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}=${value}`],
    ),
  ];
  const work = { user: 'agent', writes: true } as const;
  if (from === undefined)
    return workOnVolumes(flags, output, { ...work, words: (by, _, agent) => place({ by, agent, at }) });
  return withRepository({ flags, environment, output }, async (repository) => {
    const found = await findCommit(repository, at);
    if (!found.ok) return refuse(output, found.error);
    const { commit } = found.value;
    const { stream, stop } = writePack(repository, commit);
    try {
      return await workOnVolumes(flags, output, {
        ...work,
        stdin: stream,
        words: (by, _, agent) => place({ by, agent, incoming: commit }),
      });
    } finally {
      // The pod says of a pack that was cut off only that it ended too early.
      await stop();
    }
  });
}

export interface Wanted {
  readonly at: string | undefined;
  readonly to: string;
  readonly kept: readonly Head[];
  /** The person. */
  readonly by: string;
  readonly output: Output;
  /** Looks at the commit before anything is done. @returns why it is not the one that is meant, in sentences for people */
  readonly whyNot?: (entry: CommitEntry) => Promise<readonly string[]>;
  /** Puts the restored directory elsewhere. @returns what is told of it */
  readonly onRestored?: () => Promise<Placed>;
}

export interface Placed {
  /** What was there before. */
  readonly before: string;
}

/** @returns the exit code */
export async function restoreFrom(repository: Repository, wanted: Wanted): Promise<number> {
  const { at, to, kept, by, output, whyNot, onRestored } = wanted;
  const found = await findCommit(repository, at);
  if (!found.ok) return refuse(output, found.error);
  const { value: entry } = found;
  const reasons = (await whyNot?.(entry)) ?? [];
  if (reasons.length > 0) return refuse(output, reasons);
  const { commit, atMs } = entry;
  let seen: RebuiltVerification | undefined;
  let heldBack: readonly string[] = [];
  const isGood = async (directory: string, heads: readonly Head[]): Promise<boolean> => {
    seen = await verifyRebuilt(directory, { entry, heads, kept });
    if (!isSound(seen.verification)) return false;
    const restoring = { commit, atMs, heads, by, version: programVersion(), clock: systemClock };
    heldBack = await markRestored(directory, restoring);
    return true;
  };
  const restored = await removedIfEnded(`${resolve(to)}.restoring`, () => restore({ repository, commit, to, isGood }));
  if (seen === undefined) throw new Error('a restored directory is verified');
  const placed = restored === undefined ? undefined : await onRestored?.();
  return tellRestored(output, { to, entry, seen, restored, heldBack, placed });
}

interface RestoreEnd {
  readonly to: string;
  readonly entry: CommitEntry;
  readonly seen: RebuiltVerification;
  /** Undefined: refused. */
  readonly restored: Rebuilt | undefined;
  /** Runs that wait for a person now. */
  readonly heldBack: readonly string[];
  readonly placed: Placed | undefined;
}

function tellRestored(output: Output, { to, entry, seen, restored, heldBack, placed }: RestoreEnd): number {
  const { verification, later } = seen;
  const { commit, atMs, agent, individual } = entry;
  const code = restored === undefined ? (findingOf(verification)?.code ?? exitCodes.record) : exitCodes.done;
  output.data({
    to,
    commit,
    atMs,
    agent,
    individual,
    isRestored: restored !== undefined,
    ...restored,
    heldBack,
    ...placed,
    later,
    verification,
  });
  if (restored === undefined) {
    const place = `${shownCommit(commit)}:journal`;
    for (const fault of verification.faults.slice(0, FAULTS_SHOWN)) output.error(renderFault(fault, place));
    const finding = findingOf(verification)?.text ?? 'damaged';
    output.error(`${shownCommit(commit)} was not restored: ${finding}; ${to} is as it was`);
    return code;
  }
  const { files, bytes, heads } = restored;
  output.line(
    `${placed === undefined ? to : 'the data directory'} is as of ${new Date(atMs).toISOString()} (${shownCommit(commit)}): ${renderPlural(files, 'file')}, ${renderSize(bytes)}`,
    'Good',
  );
  output.line(printable(`it is ${whoIs(entry)}`));
  output.line(
    `verified: ${renderPlural(verification.records, 'record')}, every hash, link and blob, and ${renderPlural(heads.length, 'head')} of the commit`,
    'Good',
  );
  if (placed !== undefined) output.line(`what was there before is in ${placed.before}`);
  for (const runId of heldBack)
    output.line(printable(`held back  ${runId}: what it did after that is unknown`), 'Warning');
  if (heldBack.length > 0) output.line(`each goes on or ends by a word of yours: ${wordCommand(to)}`, 'Warning');
  tellLater(output, later);
  return code;
}

/** An agent, and which individual of that name. */
export function whoIs({ agent, individual }: Pick<CommitEntry, 'agent' | 'individual'>): string {
  return individual === undefined ? `agent ${agent}, which never started` : `agent ${agent}, individual ${individual}`;
}

/** As the person can type it, who may be at another machine. */
function wordCommand(to: string): string {
  const { program, options } = readEnvironment().caller;
  return options === undefined
    ? `retainer task continue|cancel TASK --data ${to}`
    : `${program} task continue|cancel TASK ${options}`;
}
