/** Writes changes into the repository as one commit; none if nothing has changed. */
import type { Change } from './capture.ts';
import { ImportStream, type CommitText } from './import-stream.ts';
import { blobIdOf, type TreeEntry } from './objects.ts';
import type { Repository } from './repository.ts';
import { CameCounter, type WhatCame } from './what-came.ts';

export interface Place {
  readonly repository: Repository;
  readonly signal: AbortSignal | undefined;
}

export interface Written {
  /** 0: no commit was made. */
  readonly changes: number;
  /** Put. */
  readonly files: number;
  readonly came: WhatCame;
  /** Makes the tree of the commit before that of the new one. */
  apply(tree: Map<string, TreeEntry>): void;
}

type Applied = { readonly path: string; readonly entry: TreeEntry | undefined };

export async function writeChanges(
  { repository, signal }: Place,
  changes: AsyncIterable<Change>,
  textOf: (came: WhatCame) => Promise<CommitText>,
): Promise<Written> {
  const applied: Applied[] = [];
  const counter = new CameCounter();
  let stream: ImportStream | undefined;
  try {
    for await (const change of changes) {
      stream ??= new ImportStream(repository, signal);
      if (change.kind === 'Put') await stream.put(change.file);
      else stream.remove(change.path);
      applied.push(appliedOf(change));
      counter.take(change);
    }
    await stream?.commit(await textOf(counter.came()));
  } finally {
    await stream?.end();
  }
  const files = applied.filter(({ entry }) => entry !== undefined).length;
  return { changes: applied.length, files, came: counter.came(), apply: (tree) => applyTo(tree, applied) };
}

function appliedOf(change: Change): Applied {
  if (change.kind === 'Remove') return { path: change.path, entry: undefined };
  const { path, mode, content } = change.file;
  const { length } = 'bytes' in content ? content.bytes : { length: content.sizeBytes };
  // A blob of the journal never changes, so its presence is enough.
  const blobId = 'bytes' in content ? blobIdOf(content.bytes) : '';
  return { path, entry: { mode, blobId, sizeBytes: length } };
}

/** As the commit has them: what is removed goes first. */
function applyTo(tree: Map<string, TreeEntry>, applied: readonly Applied[]): void {
  const removed = new Set(applied.flatMap(({ path, entry }) => (entry === undefined ? [path] : [])));
  // Whoever clears a workspace removes thousands of files at once, so nothing is compared pair by pair.
  if (removed.size > 0)
    for (const path of tree.keys()) if (withFolders(path).some((each) => removed.has(each))) tree.delete(path);
  for (const { path, entry } of applied) if (entry !== undefined) tree.set(path, entry);
}

/** The path, and those of all folders that it is in. */
function withFolders(path: string): readonly string[] {
  const names = path.split('/');
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
}
