/**
 * Encodes and decodes the archives between agent and runner, as streams. Pure.
 *
 * I1  A decoder holds at most one header line in memory, whatever its input.
 * I2  Accepted frames cannot leave their directory, name one file twice, or use a name as both file and directory. Nothing lies
 *     below a link.
 * I3  A decoder accepts at most {@link RUNNER_FILES_MAX} frames and {@link RUNNER_ARCHIVE_BYTES_MAX} bytes of content.
 */
import { RelativePath } from '../api/fields.ts';
import { err, ok, type Result } from '../std/result.ts';
import { FrameHeader, LINK_BYTES_MAX, RUNNER_ARCHIVE_BYTES_MAX, RUNNER_FILES_MAX } from './runner.ts';

/** Bytes. A path of 1,024 characters takes 6,144 if JSON escapes each. */
const HEADER_BYTES_MAX = 8192;
/** Names in one path: deeper trees cost more than their files. */
export const PATH_DEPTH_MAX = 32;
/** Bytes of UTF-8 in one name: the limit of every common Linux file system. */
const NAME_BYTES_MAX = 255;
const LINE_BREAK = 10;
const UNSPEAKABLE = /[\u0000-\u001f\u007f]|\p{Surrogate}/u;

/** Whether a path is relative, inside its directory, printable, and with the same meaning on every machine. */
export function isCarriedPath(path: string): boolean {
  if (!RelativePath.safeParse(path).success || UNSPEAKABLE.test(path)) return false;
  const names = path.split('/');
  return (
    names.length <= PATH_DEPTH_MAX && names.every((name) => new TextEncoder().encode(name).length <= NAME_BYTES_MAX)
  );
}

/** Whether the text of a link has the same meaning on every machine: printable, and short enough. */
export function isCarriedLinkText(text: string): boolean {
  return text !== '' && !UNSPEAKABLE.test(text) && new TextEncoder().encode(text).length <= LINK_BYTES_MAX;
}

export function frameHeaderBytes(header: FrameHeader): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(header)}\n`);
}

export type FramePart =
  | { readonly type: 'Header'; readonly header: FrameHeader }
  /** Content of the last header's file, or text of its link. A view of the input chunk. */
  | { readonly type: 'Content'; readonly bytes: Uint8Array };

/** `Limit`: too much; `Malformed`: no archive of ours. */
export interface FrameFault {
  readonly kind: 'Malformed' | 'Limit';
  readonly message: string;
}

/** Decodes one archive. After a fault it must not be used again. */
export class FrameDecoder {
  #line: Uint8Array = new Uint8Array(0);
  #contentBytesLeft = 0;
  #frames = 0;
  #bytes = 0;
  #isEnded = false;
  readonly #paths = new Set<string>();
  /** The paths of files and links. */
  readonly #files = new Set<string>();
  readonly #directories = new Set<string>();

  /** @returns the parts that this chunk completes, in order */
  push(chunk: Uint8Array): Result<readonly FramePart[], FrameFault> {
    const parts: FramePart[] = [];
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#contentBytesLeft > 0) {
        const bytes = rest.subarray(0, this.#contentBytesLeft);
        this.#contentBytesLeft -= bytes.length;
        rest = rest.subarray(bytes.length);
        parts.push({ type: 'Content', bytes });
        continue;
      }
      if (this.#isEnded) return malformed('bytes after the end of the archive');
      const header = this.#takeHeader(rest);
      if (!header.ok) return header;
      if (header.value === undefined) break;
      parts.push({ type: 'Header', header: header.value.header });
      rest = header.value.rest;
    }
    return ok(parts);
  }

  /** To be called after the last chunk. */
  finish(): Result<undefined, FrameFault> {
    return this.#isEnded ? ok(undefined) : malformed('the archive is cut off');
  }

  #takeHeader(
    bytes: Uint8Array,
  ): Result<{ readonly header: FrameHeader; readonly rest: Uint8Array } | undefined, FrameFault> {
    const at = bytes.indexOf(LINE_BREAK);
    const piece = at === -1 ? bytes : bytes.subarray(0, at);
    if (this.#line.length + piece.length > HEADER_BYTES_MAX) return malformed('a header is too long');
    const line = new Uint8Array(this.#line.length + piece.length);
    line.set(this.#line);
    line.set(piece, this.#line.length);
    this.#line = at === -1 ? line : new Uint8Array(0);
    if (at === -1) return ok(undefined);
    const header = parseHeader(line);
    if (header === undefined) return malformed('a header has the wrong form');
    const fault = this.#admit(header);
    return fault === undefined ? ok({ header, rest: bytes.subarray(at + 1) }) : err(fault);
  }

  #admit(header: FrameHeader): FrameFault | undefined {
    if (header.type === 'End') {
      this.#isEnded = true;
      return undefined;
    }
    this.#frames += 1;
    this.#bytes += header.sizeBytes;
    if (this.#frames > RUNNER_FILES_MAX) return { kind: 'Limit', message: `more than ${RUNNER_FILES_MAX} files` };
    if (this.#bytes > RUNNER_ARCHIVE_BYTES_MAX)
      return { kind: 'Limit', message: `more than ${RUNNER_ARCHIVE_BYTES_MAX} bytes` };
    if (!isCarriedPath(header.path)) return { kind: 'Malformed', message: 'a path is not allowed' };
    this.#contentBytesLeft = header.sizeBytes;
    return this.#admitPath(header);
  }

  #admitPath({ type, path }: Exclude<FrameHeader, { type: 'End' }>): FrameFault | undefined {
    if (this.#paths.has(path)) return { kind: 'Malformed', message: 'a path occurs twice' };
    this.#paths.add(path);
    // A removed file may have made room for a directory, and vice versa.
    if (type === 'Removed') return undefined;
    const names = path.split('/');
    const parents = names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
    if (this.#directories.has(path)) return { kind: 'Malformed', message: 'a path is a file and a directory' };
    for (const parent of parents) {
      if (this.#files.has(parent)) return { kind: 'Malformed', message: 'a path is a file and a directory' };
      this.#directories.add(parent);
    }
    this.#files.add(path);
    return undefined;
  }
}

function parseHeader(line: Uint8Array): FrameHeader | undefined {
  try {
    const parsed = FrameHeader.safeParse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line)));
    return parsed.success ? parsed.data : undefined;
  } catch {
    // Neither UTF-8 nor JSON: no header.
    return undefined;
  }
}

function malformed(message: string): { readonly ok: false; readonly error: FrameFault } {
  return err({ kind: 'Malformed', message });
}
