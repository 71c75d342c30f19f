/**
 * Unpacks an archive into the empty work directory.
 *
 * I1  No file is where code could find it before the whole body matched the signed digest: files are staged under numbers and
 *     renamed into place at the end.
 * I2  No path leads out: the decoder lets none through, and links come last, each where nothing is below it.
 */
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, open, rename, rm, symlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { FrameDecoder, isCarriedLinkText, type FramePart } from '@retainer/contract/wire/frames';
import type { FrameHeader } from '@retainer/contract/wire/runner';
import type { Fault } from './fault.ts';

/** The files and links that existed at the start of the code, by path, to tell later which are new. */
export type ReceivedFiles = ReadonlyMap<string, ReceivedFile>;

export interface ReceivedFile {
  /** Of the bytes, or of the text of a link. */
  readonly digest: string;
  readonly isLink: boolean;
  readonly isExecutable: boolean;
  readonly fingerprint: string;
}

/** Below the work directory, for a rename; removed before code runs. Ends in random characters that none can foresee. */
const STAGING_PREFIX = '.retainer-staging-';

/** Differs whenever the bytes may be others: nobody can set the time of change. */
export function fingerprintOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [ino, size, mtimeMs, ctimeMs].join(' ');
}

/**
 * @param digest  signed digest of all bytes
 * @returns the error if the body is not the signed one or is malformed; the work directory is unchanged then
 * @throws on a full or broken disk
 */
export async function receiveFiles(
  body: AsyncIterable<Uint8Array>,
  workDirectory: string,
  digest: string,
): Promise<Result<ReceivedFiles, Fault>> {
  const staging = await mkdtemp(join(workDirectory, STAGING_PREFIX));
  const unpacking = new Unpacking(staging);
  try {
    const hash = createHash('sha256');
    const decoder = new FrameDecoder();
    for await (const chunk of body) {
      hash.update(chunk);
      const parts = decoder.push(chunk);
      if (!parts.ok) return err(archiveFault(parts.error.kind, parts.error.message));
      if (parts.value.some((part) => part.type === 'Header' && part.header.type === 'Removed'))
        return err(archiveFault('Malformed', 'nothing can be removed from an empty directory'));
      for (const part of parts.value) await unpacking.take(part);
    }
    const finished = decoder.finish();
    if (!finished.ok) return err(archiveFault(finished.error.kind, finished.error.message));
    if (`sha256:${hash.digest('hex')}` !== digest)
      return err({
        status: 400,
        reason: 'DigestMismatch',
        message: 'the digest of the body differs from the signed one',
      });
    const unfit = unpacking.links.find(({ text }) => !isCarriedLinkText(text));
    if (unfit !== undefined) return err(archiveFault('Malformed', 'the text of a link is not allowed'));
    return ok(await unpacking.place(workDirectory));
  } finally {
    await unpacking.close();
    await rm(staging, { recursive: true, force: true });
  }
}

type FileHeader = FrameHeader & { type: 'File' };

interface Staged {
  readonly header: FileHeader;
  readonly source: string;
  readonly digest: string;
}

interface StagedLink {
  readonly path: string;
  text: string;
}

/** The files of one archive, under numbers, and its links. */
class Unpacking {
  readonly links: StagedLink[] = [];
  readonly #directory: string;
  readonly #staged: Staged[] = [];
  #file: FileHandle | undefined;
  #header: FileHeader | undefined;
  #hash = createHash('sha256');
  #bytesLeft = 0;
  #text = new TextDecoder();

  constructor(directory: string) {
    this.#directory = directory;
  }

  async take(part: FramePart): Promise<void> {
    if (part.type === 'Content') {
      if (this.#header === undefined) return this.#takeText(part.bytes);
      this.#hash.update(part.bytes);
      await this.#file?.writeFile(part.bytes);
      this.#bytesLeft -= part.bytes.length;
    } else if (part.header.type === 'Link') {
      this.links.push({ path: part.header.path, text: '' });
      this.#text = new TextDecoder();
    } else if (part.header.type === 'File') {
      this.#header = part.header;
      this.#hash = createHash('sha256');
      this.#bytesLeft = part.header.sizeBytes;
      this.#file = await open(join(this.#directory, String(this.#staged.length)), 'wx', 0o600);
    }
    if (this.#header !== undefined && this.#bytesLeft === 0) await this.#finishFile(this.#header);
  }

  #takeText(bytes: Uint8Array): void {
    const link = this.links.at(-1);
    // A character may be cut in two by a chunk; what is no UTF-8 at all becomes a sign that `isCarriedLinkText` lets through.
    if (link !== undefined) link.text += this.#text.decode(bytes, { stream: true });
  }

  async #finishFile(header: FileHeader): Promise<void> {
    await this.close();
    this.#header = undefined;
    const source = join(this.#directory, String(this.#staged.length));
    this.#staged.push({ header, source, digest: this.#hash.digest('hex') });
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  /** Gives every file its name and its permissions. */
  async place(workDirectory: string): Promise<ReceivedFiles> {
    const received = new Map<string, ReceivedFile>();
    for (const { header, source, digest } of this.#staged) {
      const target = join(workDirectory, header.path);
      await mkdir(dirname(target), { recursive: true });
      await chmod(source, (header.isExecutable ? 0o755 : 0o644) & (header.isReadOnly ? 0o555 : 0o777));
      await rename(source, target);
      const fingerprint = fingerprintOf(await lstat(target));
      received.set(header.path, { digest, isLink: false, isExecutable: header.isExecutable, fingerprint });
    }
    for (const { path, text } of this.links) {
      const target = join(workDirectory, path);
      await mkdir(dirname(target), { recursive: true });
      await symlink(text, target);
      const digest = createHash('sha256').update(text).digest('hex');
      received.set(path, {
        digest,
        isLink: true,
        isExecutable: false,
        fingerprint: fingerprintOf(await lstat(target)),
      });
    }
    return received;
  }
}

function archiveFault(kind: 'Malformed' | 'Limit', message: string): Fault {
  return kind === 'Limit'
    ? { status: 413, reason: 'ArchiveTooLarge', message }
    : { status: 400, reason: 'ArchiveMalformed', message };
}
