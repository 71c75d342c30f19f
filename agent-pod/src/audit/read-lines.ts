/** Streams the lines of one file, opened for reading only, a chunk at a time. */
import { open, type FileHandle } from 'node:fs/promises';

export interface FileLine {
  /** Newline excluded. Valid until the caller asks for the next chunk. */
  readonly bytes: Buffer;
  /** Newline included. */
  readonly endBytes: number;
  /** False for a last line without a newline, and for a piece of an overlong line. */
  readonly complete: boolean;
}

const CHUNK_BYTES = 256 * 1024;
const newline = 0x0a;
/** Lines are at most 1 MiB. A longer run of bytes is no line, and must not fill memory. */
const LINE_BYTES_MAX = 1024 * 1024 + CHUNK_BYTES;

/** Yields the lines from `fromBytes`, which must be the start of a line, as one array per chunk. */
export async function* readLines(path: string, fromBytes: number): AsyncGenerator<readonly FileLine[]> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(0, size - fromBytes) + 1));
    let rest = Buffer.alloc(0);
    let at = fromBytes;
    for (;;) {
      const chunk = await readChunk(file, buffer, at + rest.length);
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const { lines, usedBytes } = splitLines(bytes, at);
      if (lines.length > 0) yield lines;
      at += usedBytes;
      rest = Buffer.from(bytes.subarray(usedBytes));
      const isEnd = chunk.length === 0;
      if (rest.length > 0 && (isEnd || rest.length > LINE_BYTES_MAX)) {
        at += rest.length;
        yield [{ bytes: rest, endBytes: at, complete: false }];
        rest = Buffer.alloc(0);
      }
      if (isEnd) return;
    }
  } finally {
    await file.close();
  }
}

/** Overwrites the previous chunk, because the buffer is reused. */
async function readChunk(file: FileHandle, buffer: Buffer, atBytes: number): Promise<Buffer> {
  const { bytesRead } = await file.read(buffer, 0, buffer.length, atBytes);
  return buffer.subarray(0, bytesRead);
}

function splitLines(
  bytes: Buffer,
  atBytes: number,
): { readonly lines: readonly FileLine[]; readonly usedBytes: number } {
  const lines: FileLine[] = [];
  let start = 0;
  for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
    lines.push({ bytes: bytes.subarray(start, end), endBytes: atBytes + end + 1, complete: true });
    start = end + 1;
  }
  return { lines, usedBytes: start };
}

/** Whether the line that ends at `endBytes` still has this hash. */
export async function endsWithHash(path: string, endBytes: number, lineHash: string): Promise<boolean> {
  const expected = `,"hash":"${lineHash}"}\n`;
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(expected.length),
      0,
      expected.length,
      Math.max(0, endBytes - expected.length),
    );
    return buffer.toString('latin1', 0, bytesRead) === expected;
  } finally {
    await file.close();
  }
}
