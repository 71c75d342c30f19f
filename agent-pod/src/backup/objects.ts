/** What git has: the tree of a commit, and the bytes of blobs. */
import { createHash } from 'node:crypto';
import { GitFailedError, runGit, startGit } from './git.ts';
import { inSlices } from './in-slices.ts';

export type FileMode = '100644' | '100755';

export interface TreeEntry {
  readonly mode: FileMode;
  readonly blobId: string;
  readonly sizeBytes: number;
}

/** By path, ascending. */
export type Tree = ReadonlyMap<string, TreeEntry>;

const linePattern = /^(100644|100755) blob ([0-9a-f]{40}) +(\d+)\t(.+)$/s;

export async function readTree(repository: string, commit: string): Promise<Tree> {
  const text = (await runGit(repository, ['ls-tree', '-r', '-l', '-z', '--full-tree', commit])).toString('utf8');
  const tree = new Map<string, TreeEntry>();
  await inSlices(text.split('\0'), (line) => {
    const [, mode, blobId = '', size, path = ''] = linePattern.exec(line) ?? [];
    if (mode === '100644' || mode === '100755') tree.set(path, { mode, blobId, sizeBytes: Number(size) });
  });
  return tree;
}

type ObjectType = 'blob' | 'commit';

/** The id that git gives to these bytes as a file. */
export function blobIdOf(bytes: Uint8Array): string {
  return idOf('blob', bytes);
}

function idOf(type: ObjectType, bytes: Uint8Array): string {
  return createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex');
}

const headerPattern = /^([0-9a-f]{40}) (blob|commit) (\d+)$/;

/** The bytes of each object, in this order. @throws GitFailedError  and if bytes are not what their id says */
export async function* readObjects(
  repository: string,
  type: ObjectType,
  ids: readonly string[],
): AsyncGenerator<Buffer> {
  if (ids.length === 0) return;
  const { child, ended } = startGit(repository, ['cat-file', '--batch', '--buffer']);
  child.stdin.end(ids.map((id) => `${id}\n`).join(''));
  const reader = new ObjectReader(type, ids);
  try {
    for await (const piece of child.stdout as AsyncIterable<Buffer>) yield* reader.take(piece);
    await ended;
  } finally {
    child.kill('SIGKILL');
  }
  if (reader.missing !== undefined) throw new GitFailedError('Failed', `git ended before ${type} ${reader.missing}`);
}

/** Takes the answer of `cat-file --batch` apart. */
class ObjectReader {
  readonly #type: ObjectType;
  readonly #ids: readonly string[];
  #next = 0;
  #pieces: Buffer[] = [];
  #heldBytes = 0;
  #wantBytes = 0;

  constructor(type: ObjectType, ids: readonly string[]) {
    this.#type = type;
    this.#ids = ids;
  }

  /** The first object that has not come yet. */
  get missing(): string | undefined {
    return this.#ids[this.#next];
  }

  *take(piece: Buffer): Generator<Buffer> {
    this.#pieces.push(piece);
    this.#heldBytes += piece.length;
    if (this.#heldBytes < this.#wantBytes) return;
    let rest: Buffer = Buffer.concat(this.#pieces);
    let taken = takeObject(rest, this.#type, this.missing);
    while (taken.bytes !== undefined) {
      yield taken.bytes;
      this.#next += 1;
      rest = rest.subarray(taken.usedBytes);
      taken = takeObject(rest, this.#type, this.missing);
    }
    this.#wantBytes = taken.wantBytes;
    this.#pieces = [rest];
    this.#heldBytes = rest.length;
  }
}

type Taken =
  | { readonly bytes: Buffer; readonly usedBytes: number }
  | { readonly bytes: undefined; readonly wantBytes: number };

/** @returns what to wait for, while the object is not whole */
function takeObject(buffer: Buffer, type: ObjectType, id: string | undefined): Taken {
  const lineEnd = buffer.indexOf('\n');
  if (lineEnd === -1) return { bytes: undefined, wantBytes: 0 };
  const [, found, foundType, size] = headerPattern.exec(buffer.toString('latin1', 0, lineEnd)) ?? [];
  if (found === undefined || found !== id || foundType !== type)
    throw new GitFailedError('Failed', `the repository has no ${type} ${id}`);
  const usedBytes = lineEnd + 1 + Number(size) + 1;
  if (buffer.length < usedBytes) return { bytes: undefined, wantBytes: usedBytes };
  const bytes = buffer.subarray(lineEnd + 1, usedBytes - 1);
  if (idOf(type, bytes) !== id) throw new GitFailedError('Failed', `${type} ${id} of the repository is damaged`);
  return { bytes, usedBytes };
}
