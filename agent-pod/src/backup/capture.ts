/**
 * What of a data directory a commit must add to the repository, and what it must take away: journal, configuration, workspace.
 *
 * Reads a piece at a time, so memory stays bounded however large the record is.
 */
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { blobsOf, type JournalMoment } from '@retainer/journal/moment';
import { areWhole, CHUNK_BYTES_MAX, chunkPath, cutBytes, endBytes, parseChunkPath, type Chunk } from './chunks.ts';
import { dayPages } from './day-pages.ts';
import type { PutFile } from './import-stream.ts';
import { inSlices } from './in-slices.ts';
import { blobIdOf, type Tree } from './objects.ts';
import type { Workspace } from './workspace.ts';

export type Change =
  | { readonly kind: 'Put'; readonly file: PutFile }
  | { readonly kind: 'Remove'; readonly path: string };

export interface Captured {
  readonly journalDirectory: string;
  readonly tree: Tree;
  readonly moment: JournalMoment;
  /** By name; written as JSON. */
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly workspace: Workspace;
}

/** The last ones are small, so a commit that is broken off for want of space is so before them. */
export async function* changesOf(captured: Captured): AsyncGenerator<Change> {
  const known = await chunksOf(captured.tree);
  yield* journalChanges(captured, known);
  yield* pageChanges(captured, known);
  yield* blobChanges(captured);
  yield* workspaceChanges(captured);
  yield* textChanges(captured);
}

type KnownChunks = ReadonlyMap<string, readonly Chunk[]>;

async function* journalChanges(
  { journalDirectory, tree, moment }: Captured,
  known: KnownChunks,
): AsyncGenerator<Change> {
  for (const { path, sizeBytes } of moment.grown)
    yield* grownFile({ journalDirectory, path, sizeBytes }, known.get(path) ?? []);
  const there = new Set(moment.grown.map(({ path }) => path));
  // A repair gave the store other files; earlier commits have these.
  for (const path of known.keys()) if (!there.has(path)) yield { kind: 'Remove', path: `journal/${path}` };
  for (const { path, bytes } of moment.checkpoints) yield* whole(tree, `journal/${path}`, bytes);
}

async function* pageChanges({ journalDirectory, tree, moment }: Captured, known: KnownChunks): AsyncGenerator<Change> {
  const hasGrown = ({ path, sizeBytes }: JournalMoment['grown'][number], page: string): boolean =>
    !tree.has(page) || endBytes(known.get(path) ?? []) !== sizeBytes;
  for await (const { path, bytes } of dayPages(journalDirectory, moment, hasGrown)) yield* whole(tree, path, bytes);
}

/** The pieces of each grown file that the repository has, ascending. */
export async function chunksOf(tree: Tree): Promise<Map<string, Chunk[]>> {
  const found = new Map<string, Chunk[]>();
  await inSlices(tree, ([path, { blobId, sizeBytes }]) => {
    const parsed = parseChunkPath(path);
    if (parsed === undefined) return;
    const chunks = found.get(parsed.file) ?? [];
    found.set(parsed.file, chunks);
    chunks.push({ offsetBytes: parsed.offsetBytes, sizeBytes, path, blobId });
  });
  for (const chunks of found.values()) chunks.sort((a, b) => a.offsetBytes - b.offsetBytes);
  return found;
}

interface GrownFile {
  readonly journalDirectory: string;
  readonly path: string;
  readonly sizeBytes: number;
}

async function* grownFile(file: GrownFile, chunks: readonly Chunk[]): AsyncGenerator<Change> {
  const { journalDirectory, path, sizeBytes } = file;
  const committedBytes = endBytes(chunks);
  if (sizeBytes === committedBytes) return;
  const handle = await open(join(journalDirectory, path), 'r');
  const read = async (fromBytes: number, lengthBytes: number): Promise<Buffer> => {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(lengthBytes), 0, lengthBytes, fromBytes);
    return buffer.subarray(0, bytesRead);
  };
  try {
    const goesOn = sizeBytes > committedBytes && areWhole(chunks) && (await hasSameEnd(read, chunks));
    if (!goesOn && chunks.length > 0) yield { kind: 'Remove', path: `journal/${path}` };
    for (let at = goesOn ? committedBytes : 0; at < sizeBytes;) {
      const bytes = await read(at, Math.min(CHUNK_BYTES_MAX + 1, sizeBytes - at));
      if (bytes.length === 0) return;
      const piece = bytes.subarray(0, cutBytes(bytes));
      yield { kind: 'Put', file: { path: chunkPath(path, at), mode: '100644', content: { bytes: piece } } };
      at += piece.length;
    }
  } finally {
    await handle.close();
  }
}

/**
 * Whether the file still begins with what was committed. Lines are chained by their hashes, so the last piece vouches for all
 * before it. A crash may have taken lines that were committed before they were synced, or a repair may have rewritten the file.
 */
async function hasSameEnd(
  read: (fromBytes: number, lengthBytes: number) => Promise<Buffer>,
  chunks: readonly Chunk[],
): Promise<boolean> {
  const last = chunks.at(-1);
  return last === undefined || blobIdOf(await read(last.offsetBytes, last.sizeBytes)) === last.blobId;
}

/** A blob never changes, and none is ever deleted. */
async function* blobChanges({ journalDirectory, tree }: Captured): AsyncGenerator<Change> {
  for (const path of await blobsOf(journalDirectory)) {
    if (tree.has(`journal/${path}`)) continue;
    const file = join(journalDirectory, path);
    const { size: sizeBytes } = await stat(file);
    yield { kind: 'Put', file: { path: `journal/${path}`, mode: '100644', content: { file, sizeBytes } } };
  }
}

async function* workspaceChanges({ tree, workspace }: Captured): AsyncGenerator<Change> {
  const there = new Set<string>();
  for await (const { path, mode, blobId, bytes } of workspace.files()) {
    there.add(path);
    const known = tree.get(path);
    if (known?.blobId === blobId && known.mode === mode) continue;
    yield { kind: 'Put', file: { path, mode, content: { bytes: await bytes() } } };
  }
  for (const path of tree.keys()) if (path.startsWith('workspace/') && !there.has(path)) yield { kind: 'Remove', path };
}

async function* textChanges({ tree, moment, configuration, workspace }: Captured): AsyncGenerator<Change> {
  for (const [name, value] of Object.entries(configuration))
    yield* whole(tree, `configuration/${name}.json`, textOf(value));
  yield* whole(tree, LEFT_OUT_FILE, textOf(workspace.leftOut));
  yield* whole(tree, HEADS_FILE, textOf({ format: 1, heads: moment.heads }));
}

const OUTSIDE_RECORD = /^(?:workspace|configuration)\//;

/** Whether a file of a commit is neither of the journal nor made of it. */
export function isOutsideRecord(path: string): boolean {
  return OUTSIDE_RECORD.test(path);
}

export const HEADS_FILE = 'heads.json';
/** Workspace files that are not in the commit, and why. */
export const LEFT_OUT_FILE = 'left-out.json';

function textOf(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, undefined, 1)}\n`);
}

function* whole(tree: Tree, path: string, bytes: Buffer): Generator<Change> {
  if (tree.get(path)?.blobId === blobIdOf(bytes)) return;
  yield { kind: 'Put', file: { path, mode: '100644', content: { bytes } } };
}
