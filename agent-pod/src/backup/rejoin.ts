/**
 * Goes on from the history at the remote where the one here began anew, because somebody deleted the repository, or git could not read
 * it and it was set aside.
 *
 * I1  Only where this record has everything that the remote's has: the same individual, and each of its heads. So another life is never
 *     passed over, and the next commit holds all that was in the commits that are given up here.
 */
import { rename, rm } from 'node:fs/promises';
import type { Clock } from '@retainer/contract/std/clock';
import type { Head } from '@retainer/journal/journal';
import { openJournalReader } from '@retainer/journal/open-reader';
import { fetchRemote } from './fetch-remote.ts';
import { headsIn, readCommit } from './history.ts';
import { readTree } from './objects.ts';
import type { Remote } from './push.ts';
import { readRecorded } from './recorded.ts';
import { withRepository, type Repository } from './repository.ts';

export interface RejoiningRecord {
  readonly journalDirectory: string;
  readonly clock: Clock;
}

/**
 * @param directory  the repository; its history is replaced
 * @returns whether it was; otherwise nothing has changed. @throws GitFailedError where the remote cannot be read
 */
export async function rejoin(directory: string, remote: Remote, record: RejoiningRecord): Promise<boolean> {
  const fetched = `${directory}.rejoining`;
  const givenUp = `${directory}.given-up`;
  const clear = async (): Promise<void> => {
    for (const path of [fetched, givenUp]) await rm(path, { recursive: true, force: true });
  };
  await clear();
  try {
    const repository = await fetchRemote(remote, fetched, directory);
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
  const reader = await openJournalReader({ directory: journalDirectory, clock });
  const hasHead = async ({ store, seq, hash }: Head): Promise<boolean> => {
    for await (const record of reader.read(store, { fromSeq: seq })) return record.hash === hash;
    return false;
  };
  for (const each of await headsIn(directory, await readTree(directory, head)))
    if (!(await hasHead(each))) return false;
  return true;
}
