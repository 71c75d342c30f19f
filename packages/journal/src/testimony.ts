/**
 * What a journal says about itself as a whole: its own store names, at each opening and closing, the stores, their ends and
 * their checkpoints. So a store or an end that somebody took away is missed even though nothing else of it is left.
 *
 * Source: reliability-security 1; 7 (corruption is found and located).
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import { decodeLine } from './codec.ts';
import { checkpointedStores } from './checkpoint.ts';
import type { FileSystem } from './file-system.ts';
import type { Head } from './journal.ts';
import { storesOnDisk } from './open-reader.ts';
import { scanStore } from './scan-store.ts';
import { sortedSegments } from './segment.ts';
import { systemStore } from './stores.ts';

export interface Testimony {
  /** Stores that hold a record, or have to. */
  readonly stores: readonly string[];
  /** Those of them without any file. */
  readonly missing: readonly string[];
  /** Every end that was ever noted, in the order of the last notes. A later note of the same sequence does not take back an earlier one. */
  readonly heads: readonly Head[];
  /** Stores whose checkpoint was there. */
  readonly checkpoints: readonly string[];
}

/** The part of a testimony that an opening or a closing writes down. */
export function testimonyOf(
  heads: readonly Head[],
  stores: ReadonlyMap<string, { readonly writer: { readonly hasCheckpoint: boolean } | undefined }>,
): Readonly<Record<'heads' | 'checkpoints', Json>> {
  return {
    heads: heads.map(({ store, seq, hash, epoch }) => ({ store, seq, hash, epoch })),
    checkpoints: [...stores].flatMap(([name, { writer }]) => (writer?.hasCheckpoint === true ? [name] : [])),
  };
}

/** Reads the journal's own store whole; a damaged line of it says nothing. */
export async function readTestimony(fileSystem: FileSystem, directory: string): Promise<Testimony> {
  const onDisk = await storesOnDisk(fileSystem, directory);
  const filled: string[] = [];
  for (const store of onDisk)
    if (sortedSegments(await fileSystem.list(`${directory}/${store}`)).length > 0) filled.push(store);
  const noted = filled.includes(systemStore.name) ? await readSystem(fileSystem, directory) : noNotes();
  // An opening begins the journal's own store before any other one.
  const own = filled.length > 0 ? [systemStore.name] : [];
  const expected = new Set([...noted.stores, ...own, ...(await checkpointedStores(fileSystem, directory))]);
  return {
    stores: [...new Set([...onDisk, ...expected])].toSorted(),
    missing: [...expected].filter((store) => !filled.includes(store)).toSorted(),
    heads: [...noted.heads.values()],
    checkpoints: [...noted.checkpoints],
  };
}

interface Notes {
  readonly stores: Set<string>;
  /** By store, sequence and hash. */
  readonly heads: Map<string, Head>;
  readonly checkpoints: Set<string>;
}

function noNotes(): Notes {
  return { stores: new Set(), heads: new Map(), checkpoints: new Set() };
}

async function readSystem(fileSystem: FileSystem, directory: string): Promise<Notes> {
  const notes = noNotes();
  const scan = scanStore({
    fileSystem,
    directory,
    store: systemStore.name,
    onRecord: ({ kind }, _ends, { bytes }) => {
      if (kind === 'Opened' || kind === 'Closed') take(notes, kind, bytes);
    },
  });
  // Its faults are told by those who look for faults.
  for await (const _ of scan);
  return notes;
}

function take(notes: Notes, kind: 'Opened' | 'Closed', line: Buffer): void {
  const decoded = decodeLine(line);
  if (!decoded.ok || !('payload' in decoded.value.content)) return;
  const { Opened, Closed } = systemStore.kinds;
  const { payload } = decoded.value.content;
  const opened = kind === 'Opened' ? Opened.schema.safeParse(payload).data : undefined;
  opened?.stores.forEach((store) => notes.stores.add(store));
  const testimony = opened ?? Closed.schema.safeParse(payload).data;
  testimony?.heads?.forEach((head) => noteHead(notes, head));
  testimony?.checkpoints?.forEach((store) => notes.checkpoints.add(store));
}

/** In the order of their last notes. */
function noteHead({ heads }: Notes, head: Head): void {
  const key = `${head.store}/${head.seq}/${head.hash}`;
  heads.delete(key);
  heads.set(key, head);
}

/**
 * A look at a line takes about a tenth of a millisecond, so an opening spends at most a tenth of a second on them. Whoever rewrites
 * a store contradicts its newest head, which is always compared; all others are compared by a verification.
 */
export const COMPARED_AT_OPENING_MAX = 1_024;

/** The newest head of each store, and of all others the newest ones. */
export function headsToCompare(
  { heads }: Pick<Testimony, 'heads'>,
  max: number = COMPARED_AT_OPENING_MAX,
): readonly Head[] {
  const newest = new Map(heads.map((head) => [head.store, head]));
  return [...new Set([...newest.values(), ...heads.slice(-max)])];
}
