/** What came into a record between two commits. */
import type { Head } from '@retainer/journal/journal';
import { recordHeadsIn, type RecordHead } from '@retainer/journal/moment';
import { chunksOf, isOutsideRecord } from './capture.ts';
import { headsIn } from './history.ts';
import { readObjects, readTree, type Tree } from './objects.ts';
import { decodedPath } from './tree-path.ts';

export interface Summary {
  readonly stores: readonly StoreSummary[];
  /** Of the workspace and the configuration. */
  readonly files: readonly FileDifference[];
}

export interface StoreSummary {
  readonly store: string;
  /** Sequences of the last records; undefined: the store had none. */
  readonly fromSeq: number | undefined;
  readonly toSeq: number;
  /** How many records came, by kind. */
  readonly kinds: Readonly<Record<string, number>>;
}

export interface Difference extends Summary {
  readonly stores: readonly StoreDifference[];
}

export interface StoreDifference extends StoreSummary {
  /** In the order of the store. */
  readonly records: readonly RecordHead[];
}

export interface FileDifference {
  readonly path: string;
  readonly what: 'Added' | 'Changed' | 'Removed';
}

export interface Commits {
  /** Undefined: nothing yet. */
  readonly older: string | undefined;
  /** Holds the record of the older one and more. */
  readonly newer: string;
}

/** With each record, so for a part of a life. @throws GitFailedError */
export async function differenceOf(repository: string, commits: Commits): Promise<Difference> {
  const records = new Map<string, RecordHead[]>();
  const { stores, files } = await between(repository, commits, (record) => {
    const found = records.get(record.store) ?? [];
    records.set(record.store, found);
    found.push(record);
  });
  return { stores: stores.map((store) => ({ ...store, records: records.get(store.store) ?? [] })), files };
}

/** Counted only, so that a whole life fits into a small memory. @throws GitFailedError */
export function summaryOf(repository: string, commits: Commits): Promise<Summary> {
  return between(repository, commits, () => undefined);
}

type OnRecord = (record: RecordHead) => void;

async function between(repository: string, { older, newer }: Commits, onRecord: OnRecord): Promise<Summary> {
  const before: Tree = older === undefined ? new Map() : await readTree(repository, older);
  const after = await readTree(repository, newer);
  const headsBefore = new Map((await headsIn(repository, before)).map((head) => [head.store, head]));
  const stores: StoreSummary[] = [];
  for (const head of await headsIn(repository, after)) {
    const from = headsBefore.get(head.store);
    if (from?.hash === head.hash) continue;
    stores.push(await storeBetween(repository, { before, after, head, from }, onRecord));
  }
  return { stores, files: filesBetween(before, after) };
}

interface StoreBetween {
  readonly before: Tree;
  readonly after: Tree;
  readonly head: Head;
  readonly from: Head | undefined;
}

async function storeBetween(
  repository: string,
  { before, after, head, from }: StoreBetween,
  onRecord: OnRecord,
): Promise<StoreSummary> {
  const { store, seq: toSeq } = head;
  const fresh = [...(await chunksOf(after))]
    .filter(([file]) => file.startsWith(`${store}/`))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, chunks]) => chunks.filter(({ path, blobId }) => before.get(path)?.blobId !== blobId));
  const kinds = new Map<string, number>();
  const ids = fresh.map(({ blobId }) => blobId);
  for await (const bytes of readObjects(repository, 'blob', ids))
    for (const record of recordHeadsIn(bytes)) {
      if (record.seq <= (from?.seq ?? -1)) continue;
      kinds.set(record.kind, (kinds.get(record.kind) ?? 0) + 1);
      onRecord(record);
    }
  return { store, fromSeq: from?.seq, toSeq, kinds: Object.fromEntries(kinds) };
}

/** Records tell more of the journal. */
function filesBetween(before: Tree, after: Tree): readonly FileDifference[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].filter((path) => isOutsideRecord(path)).toSorted();
  return paths.flatMap((path): readonly FileDifference[] => {
    const [was, is] = [before.get(path), after.get(path)];
    if (was?.blobId === is?.blobId && was?.mode === is?.mode) return [];
    const what = was === undefined ? 'Added' : is === undefined ? 'Removed' : 'Changed';
    return [{ path: decodedPath(path), what }];
  });
}
