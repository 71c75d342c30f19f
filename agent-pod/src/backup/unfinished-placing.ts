/** A restoring that a crash cut off before it was in place: until it is, no agent may start beside it. */
import { join } from 'node:path';
import type { Clock } from '@retainer/contract/std/clock';
import { shownCommit } from '@retainer/contract/std/shown-commit';
import { openJournalReader } from '@retainer/journal/open-reader';
import { z } from 'zod';
import { restoredPath, unplacedMoments } from './put-in-place.ts';
import { readRecorded, type Recorded } from './recorded.ts';

const Restored = z.object({ from: z.string() });

export interface UnfinishedPlacing extends Pick<Recorded, 'agent' | 'individual'> {
  /** Of its directory: see `put-in-place.ts`. */
  readonly moment: string;
  /** Of which it is. */
  readonly commit: string;
}

/** @returns the oldest one; undefined: none. @throws the journal's own error where its record cannot be read */
export async function unfinishedPlacing(data: string, clock: Clock): Promise<UnfinishedPlacing | undefined> {
  const [moment] = await unplacedMoments(data);
  if (moment === undefined) return undefined;
  const directory = join(restoredPath(data, moment), 'journal');
  const reader = await openJournalReader({ directory, clock });
  let commit = '';
  for await (const { kind, payload } of reader.read('agent'))
    if (kind === 'Restored') commit = Restored.parse(payload).from;
  const { agent, individual } = await readRecorded(directory, clock);
  return { moment, commit, agent, ...(individual === undefined ? {} : { individual }) };
}

/** @returns why the agent cannot start, and what a person can do; undefined: it can */
export async function whyUnfinished(
  data: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  clock: Clock,
): Promise<string | undefined> {
  const found = await unfinishedPlacing(data, clock);
  if (found === undefined) return undefined;
  const at = shownCommit(found.commit);
  return `a restoring of ${at} was cut off before it was in place: suspend the agent and finish it with: retainer restore --agent ${name} -n ${namespace} --at ${at} --to-volume`;
}
