/**
 * Goes on from the history at the remote where the one here began anew, because somebody deleted the repository, or git could not read
 * it and it was set aside.
 *
 * I1  Only where this record has everything that the remote's has: the same individual, and each of its heads. So another life is never
 *     passed over, and the next commit holds all that was in the commits that are given up here.
 */
import { rename, rm } from 'node:fs/promises';
import type { Clock } from '@retainer/contract/std/clock';
import type { JournalReader } from '@retainer/journal/journal';
import { openJournalReader } from '@retainer/journal/open-reader';
import { fetchRemote } from './fetch-remote.ts';
import { headsIn, readCommit } from './history.ts';
import { readTree } from './objects.ts';
import type { Remote } from './push.ts';
import { readRecorded } from './recorded.ts';
import { hasBegunAnew, withRepository, type Repository } from './repository.ts';

export interface RejoiningRecord {
  readonly journalDirectory: string;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/**
 * @param directory  the repository; its history is replaced
 * @returns whether it was; otherwise nothing has changed. @throws GitFailedError where the remote cannot be read
 */
export async function rejoin(directory: string, remote: Remote, record: RejoiningRecord): Promise<boolean> {
  if (!(await hasBegunAnew(directory))) return false;
  const fetched = `${directory}.rejoining`;
  const givenUp = `${directory}.given-up`;
  const clear = async (): Promise<void> => {
    for (const path of [fetched, givenUp]) await rm(path, { recursive: true, force: true });
  };
  await clear();
  try {
    const repository = await fetchRemote(remote, fetched, { known: directory, signal: record.signal });
    if (!(await isOfRecord(repository, record))) return false;
    await withRepository(directory, async () => {
      await rename(directory, givenUp);
      await rename(fetched, directory);
    });
    return true;
  } finally {
    await clear();
  }
}

async function isOfRecord(
  { directory, head }: Repository,
  { journalDirectory, clock }: RejoiningRecord,
): Promise<boolean> {
  const entry = head === undefined ? undefined : await readCommit(directory, head);
  const { individual } = await readRecorded(journalDirectory, clock);
  if (head === undefined || individual === undefined || entry?.individual !== individual) return false;
  const heads = await headsIn(directory, await readTree(directory, head));
  // Without any, it would hold nothing of a record.
  if (heads.length === 0) return false;
  const reader = await openJournalReader({ directory: journalDirectory, clock });
  for (const { store, seq, hash } of heads) if ((await hashAt(reader, store, seq)) !== hash) return false;
  return true;
}

async function hashAt(reader: JournalReader, store: string, seq: number): Promise<string | undefined> {
  for await (const record of reader.read(store, { fromSeq: seq })) return record.hash;
  return undefined;
}
