/** What came into a record between two commits. */
import type { Head } from '@retainer/journal/journal';
import { recordHeadsIn, type RecordHead } from '@retainer/journal/moment';
import { chunksOf } from './capture.ts';
import { headsIn } from './history.ts';
import { readObjects, readTree, type Tree } from './objects.ts';
import { decodedPath } from './tree-path.ts';

export interface Difference {
  readonly stores: readonly StoreDifference[];
  /** Of the workspace and the configuration. */
  readonly files: readonly FileDifference[];
}

export interface StoreDifference {
  readonly store: string;
  /** Sequences of the last records; undefined: the store had none. */
  readonly fromSeq: number | undefined;
  readonly toSeq: number;
  /** In the order of the store. */
  readonly records: readonly RecordHead[];
}

export interface FileDifference {
  readonly path: string;
  readonly what: 'Added' | 'Changed' | 'Removed';
}

/** @param newer  holds the record of `older` and more */
export async function differenceOf(repository: string, older: string, newer: string): Promise<Difference> {
  const [before, after] = [await readTree(repository, older), await readTree(repository, newer)];
  const headsBefore = new Map((await headsIn(repository, before)).map((head) => [head.store, head]));
  const stores: StoreDifference[] = [];
  for (const head of await headsIn(repository, after)) {
    const found = await storeDifference(repository, { before, after, head, from: headsBefore.get(head.store) });
    if (found !== undefined) stores.push(found);
  }
  return { stores, files: filesBetween(before, after) };
}

interface StoreBetween {
  readonly before: Tree;
  readonly after: Tree;
  readonly head: Head;
  readonly from: Head | undefined;
}

async function storeDifference(
  repository: string,
  { before, after, head, from }: StoreBetween,
): Promise<StoreDifference | undefined> {
  const { store, seq: toSeq } = head;
  if (from?.hash === head.hash) return undefined;
  const fresh = [...(await chunksOf(after))]
    .filter(([file]) => file.startsWith(`${store}/`))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, chunks]) => chunks.filter(({ path, blobId }) => before.get(path)?.blobId !== blobId));
  const records: RecordHead[] = [];
  const ids = fresh.map(({ blobId }) => blobId);
  for await (const bytes of readObjects(repository, 'blob', ids))
    records.push(...recordHeadsIn(bytes).filter(({ seq }) => seq > (from?.seq ?? -1)));
  return { store, fromSeq: from?.seq, toSeq, records };
}

/** Not of the journal, whose records tell more. */
const FILES = /^(?:workspace|configuration)\//;

function filesBetween(before: Tree, after: Tree): readonly FileDifference[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].filter((path) => FILES.test(path)).toSorted();
  return paths.flatMap((path): readonly FileDifference[] => {
    const [was, is] = [before.get(path), after.get(path)];
    if (was?.blobId === is?.blobId && was?.mode === is?.mode) return [];
    const what = was === undefined ? 'Added' : is === undefined ? 'Removed' : 'Changed';
    return [{ path: decodedPath(path), what }];
  });
}
