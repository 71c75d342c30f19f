/**
 * The journal of another process, or a copy of one, read without a lock and without any write.
 *
 * It shows whole lines on the disk; the newest of them may not be synced yet.
 *
 * Source: reliability-security 1 (the auditor pulls from a read-only mount); design 7 (offline).
 */
import type { Clock } from '@retainer/contract/std/clock';
import { readBlob } from './blobs.ts';
import type { FileSystem } from './file-system.ts';
import type { Head, JournalReader } from './journal.ts';
import { followStore, mergeByOrder, readStore, type ReadSource } from './read.ts';
import { realFileSystem } from './real-file-system.ts';
import { examineStore } from './recover.ts';
import { segmentFile, sortedSegments } from './segment.ts';
import { storeNamePattern } from './codec.ts';
import { reservedNames, systemStore, unknownStore, type StoreDefinition } from './stores.ts';

export interface OpenReaderOptions {
  readonly directory: string;
  /** Stores whose kinds are known here; the others on the disk are read as they were written. */
  readonly stores?: readonly StoreDefinition[];
  readonly clock: Clock;
  readonly fileSystem?: FileSystem;
}

/** Pause between two polls of a followed store: a hundredth of the auditor's 60 s would do. */
const POLL_MS = 250;

/** The heads are fixed at the time of opening. */
export async function openJournalReader(options: OpenReaderOptions): Promise<JournalReader> {
  const { directory, clock, fileSystem = realFileSystem } = options;
  const stores = await storesOnDisk(fileSystem, directory);
  const known = new Map([systemStore, ...(options.stores ?? [])].map((store) => [store.name, store]));
  const source: ReadSource = {
    fileSystem,
    directory,
    definition: (store) => known.get(store) ?? unknownStore(store),
    refusesNewer: false,
    bounds: (store) => boundsOnDisk(fileSystem, directory, store),
    grown: (_store, signal) => clock.sleep(POLL_MS, signal),
  };
  const heads: Head[] = [];
  for (const store of stores) {
    const { state } = await examineStore({ fileSystem, directory, store, epoch: undefined });
    if (state.nextSeq > 0) heads.push({ store, seq: state.nextSeq - 1, hash: state.lastHash, epoch: state.epoch });
  }
  return readerOf(source, stores, () => heads);
}

/** The reading half of a journal over any source. */
export function readerOf(source: ReadSource, stores: readonly string[], heads: () => readonly Head[]): JournalReader {
  return {
    stores,
    heads,
    read: (store, range) => readStore(source, store, range),
    readAll: (names) => mergeByOrder(names.map((store) => readStore(source, store))),
    follow: (store, fromSeq, signal) => followStore(source, store, { fromSeq, signal }),
    readBlob: (ref) => readBlob(source.fileSystem, source.directory, ref),
  };
}

/** Names of the stores that have a directory below the journal's. */
export async function storesOnDisk(fileSystem: FileSystem, directory: string): Promise<readonly string[]> {
  const names = await fileSystem.list(directory);
  return names.filter((name) => storeNamePattern.test(name) && !reservedNames.includes(name));
}

async function boundsOnDisk(
  fileSystem: FileSystem,
  directory: string,
  store: string,
): Promise<{ segments: readonly string[]; endBytes: number }> {
  const segments = sortedSegments(await fileSystem.list(`${directory}/${store}`)).map((name) => segmentFile(name));
  const last = segments.at(-1);
  const endBytes = last === undefined ? 0 : ((await fileSystem.sizeBytes(`${directory}/${store}/${last}`)) ?? 0);
  return { segments, endBytes };
}
