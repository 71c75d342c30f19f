/** The repository of an agent on a cluster: looked at beside the agent, or fetched from its pod to be restored here. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { readBundle } from '@retainer/agent-pod/backup/bundle';
import type { Repository } from '@retainer/agent-pod/backup/repository';
import { besideAgent, inPodOfAgent } from '../access/open-access.ts';
import { clusterOptions, type PlaceFlags } from '../access/place.ts';
import type { RecordCommand } from '../access/pod-record.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Output, OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';

export interface RepositoryFlags extends PlaceFlags {
  readonly output: OutputFormat;
  readonly repository?: string;
}

/** @returns why the options mean two places; undefined if they do not */
export function twoPlaces({ repository, ...place }: RepositoryFlags): string | undefined {
  if (repository === undefined) return undefined;
  const named = clusterOptions(place);
  if (named.length === 0) return undefined;
  return `--repository means a directory here and ${named.join(', ')} a cluster: leave one of them out`;
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

/** @param use  what is done with it while it is here; it is gone afterwards */
export async function withFetched(
  flags: RepositoryFlags,
  output: Output,
  use: (repository: Repository) => Promise<number>,
): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'retainer-fetched-'));
  try {
    const file = join(directory, 'bundle');
    const out = createWriteStream(file, { mode: 0o600 });
    const { err } = output.foreign();
    const code = await inPodOfAgent(flags, BUNDLE, { output, streams: { out, err } });
    out.end();
    await finished(out);
    return code === exitCodes.done ? await use(await readBundle(file, join(directory, 'git'))) : code;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const BUNDLE: RecordCommand = { words: ['memory', 'bundle'], usesGit: true };
