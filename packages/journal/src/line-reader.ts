/** Streams the lines of one file, a chunk at a time. */
import type { OpenFile } from './file-system.ts';
import { LINE_BYTES_MAX } from './limits.ts';

export interface RawLine {
  /** Newline excluded. Valid until the next chunk is asked for. */
  readonly bytes: Buffer;
  readonly offsetBytes: number;
  /** In the file, from 1. */
  readonly line: number;
  /** False on a last line that no newline ends, and on a piece of a line that is too long to be one. */
  readonly complete: boolean;
}

/** Bytes per read: they hold hundreds of records, and keep a fold over any number of segments within a few megabytes. */
const CHUNK_BYTES = 256 * 1024;
const newline = 0x0a;

/**
 * Lines between two offsets, as one array per chunk. `fromBytes` must be the start of a line.
 *
 * A stretch without newline that is longer than any line comes in incomplete pieces, so that memory is bounded for any input.
 */
export async function* readLines(
  file: OpenFile,
  range: { readonly fromBytes: number; readonly toBytes: number; readonly firstLine: number },
): AsyncGenerator<readonly RawLine[]> {
  let at = range.fromBytes;
  let line = range.firstLine;
  let wantBytes = CHUNK_BYTES;
  let space: Buffer = Buffer.alloc(0);
  while (at < range.toBytes) {
    if (space.length < wantBytes) space = Buffer.allocUnsafe(wantBytes);
    const chunk = await readFully(file, at, Math.min(wantBytes, range.toBytes - at), space);
    if (chunk.length === 0) return;
    const last = at + chunk.length >= range.toBytes || chunk.length < wantBytes;
    const lines = splitLines(chunk, at, line);
    const usedBytes = lines.usedBytes;
    if (usedBytes === 0 && !last && chunk.length <= LINE_BYTES_MAX) {
      wantBytes *= 2;
      continue;
    }
    wantBytes = CHUNK_BYTES;
    if (usedBytes > 0) yield lines.found;
    line += lines.found.length;
    at += usedBytes;
    const rest = chunk.subarray(usedBytes);
    if (rest.length === 0 || (!last && usedBytes > 0)) continue;
    yield [{ bytes: rest, offsetBytes: at, line, complete: false }];
    at += rest.length;
  }
}

/** The whole lines at the start of a chunk. */
export function splitLines(
  chunk: Buffer,
  offsetBytes: number,
  firstLine: number,
): { found: RawLine[]; usedBytes: number } {
  const found: RawLine[] = [];
  let start = 0;
  for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
    const bytes = chunk.subarray(start, end);
    found.push({ bytes, offsetBytes: offsetBytes + start, line: firstLine + found.length, complete: true });
    start = end + 1;
  }
  return { found, usedBytes: start };
}

/** Loops over short reads. The result is shorter than requested only at the end of the file. */
export async function readFully(
  file: OpenFile,
  offsetBytes: number,
  lengthBytes: number,
  space?: Uint8Array,
): Promise<Buffer> {
  const first = asBuffer(await file.read(offsetBytes, lengthBytes, space));
  if (first.length === lengthBytes || first.length === 0) return first;
  const pieces = [first];
  let bytes = first.length;
  while (bytes < lengthBytes) {
    const piece = asBuffer(await file.read(offsetBytes + bytes, lengthBytes - bytes));
    if (piece.length === 0) break;
    pieces.push(piece);
    bytes += piece.length;
  }
  return Buffer.concat(pieces);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
