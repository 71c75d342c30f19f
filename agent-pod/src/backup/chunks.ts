/**
 * Files that only grow, cut into pieces that never change again: what a commit adds to a file is a new piece. Pure.
 *
 * A file `cycle/2026-01-02.001.jsonl` is the directory `journal/cycle/2026-01-02.001.jsonl/` of the repository. In it each piece
 * is called by the offset at which it begins, and by its store: git compares files of like names when it packs them.
 *
 * I1  The pieces of a file, in the order of their names, are its bytes.
 * I2  A piece ends with a line, unless one line is longer than a piece may be.
 */

export const CHUNK_BYTES_MAX = 1024 * 1024;

const newline = 0x0a;
/** Up to a terabyte in one file, and still sorted as text. */
const OFFSET_DIGITS = 12;

export interface Chunk {
  readonly offsetBytes: number;
  readonly sizeBytes: number;
  /** In the repository. */
  readonly path: string;
  /** Of git. */
  readonly blobId: string;
}

/** @param path  of the file, relative to the journal's directory */
export function chunkPath(path: string, offsetBytes: number): string {
  const [store = ''] = path.split('/');
  return `journal/${path}/${String(offsetBytes).padStart(OFFSET_DIGITS, '0')}.${store}`;
}

const chunkPattern = /^journal\/([^/]+\/[^/]+)\/(\d{12})\.[a-z0-9-]+$/;

/** @returns the file, relative to the journal's directory; undefined for a path that is no piece */
export function parseChunkPath(path: string): { readonly file: string; readonly offsetBytes: number } | undefined {
  const [, file, offset] = chunkPattern.exec(path) ?? [];
  return file === undefined ? undefined : { file, offsetBytes: Number(offset) };
}

/** Where the first piece of `bytes` ends, 1 to {@link CHUNK_BYTES_MAX}. @param bytes  not empty */
export function cutBytes(bytes: Uint8Array): number {
  if (bytes.length <= CHUNK_BYTES_MAX) return bytes.length;
  const end = bytes.subarray(0, CHUNK_BYTES_MAX).lastIndexOf(newline) + 1;
  return end === 0 ? CHUNK_BYTES_MAX : end;
}

/** Where the next piece begins. @param chunks  of one file, ascending */
export function endBytes(chunks: readonly Chunk[]): number {
  const last = chunks.at(-1);
  return last === undefined ? 0 : last.offsetBytes + last.sizeBytes;
}

/** Whether each piece begins where the one before ends. */
export function areWhole(chunks: readonly Pick<Chunk, 'offsetBytes' | 'sizeBytes'>[]): boolean {
  let at = 0;
  return chunks.every(({ offsetBytes, sizeBytes }) => {
    const fits = offsetBytes === at;
    at += sizeBytes;
    return fits;
  });
}
