/** A directory that was rebuilt from a commit, compared with what is known of its record: what the commit and an auditor say. */
import { join } from 'node:path';
import type { CommitEntry } from '@retainer/agent-pod/backup/history';
import type { Head } from '@retainer/journal/journal';
import { readKeptHeads } from './kept-heads.ts';
import type { Output } from './output.ts';
import { verifyRecord, type Verification } from './verify-record.ts';

/** @returns none without a directory; undefined: there is no record of an auditor */
export function keptHeads(auditor: string | undefined): Promise<readonly Head[] | undefined> {
  return auditor === undefined ? Promise.resolve([]) : readKeptHeads(auditor);
}

export interface Rebuilt {
  readonly entry: CommitEntry;
  /** Of the commit's file of heads. */
  readonly heads: readonly Head[];
  /** Of an auditor. */
  readonly kept: readonly Head[];
}

export interface RebuiltVerification {
  readonly verification: Verification;
  /** Heads of the auditor that are later than the commit. */
  readonly later: readonly Head[];
}

/** The heads that an auditor saw after the commit cannot be in it; all others must be. */
export async function verifyRebuilt(directory: string, { entry, heads, kept }: Rebuilt): Promise<RebuiltVerification> {
  const ends = new Map(heads.map(({ store, seq }) => [store, seq]));
  const isInside = ({ store, seq }: Head): boolean => seq <= (ends.get(store) ?? -1);
  const knownHeads = [...heads, ...entry.heads, ...kept.filter((head) => isInside(head))];
  const verification = await verifyRecord(join(directory, 'journal'), { knownHeads });
  return { verification, later: kept.filter((head) => !isInside(head)) };
}

export function tellLater(output: Output, later: readonly Head[]): void {
  const stores = [...new Set(later.map(({ store }) => store))];
  if (stores.length > 0)
    output.line(`the auditor saw records after this commit, which are not in it: ${stores.join(', ')}`, 'Warning');
}
