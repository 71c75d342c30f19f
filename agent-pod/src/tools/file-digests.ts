/**
 * Digests of files. One that was computed is kept as long as the file's metadata shows that its bytes are the same.
 *
 * I1  A script can set the time of a change, but not that of the inode's change (`ctime`). A file that changed a moment ago is
 *     hashed again next time, because a second change within the same tick of the file system's clock would not show.
 */
import { createHash } from 'node:crypto';
import { fstatSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Clock } from '@retainer/contract/std/clock';
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import { fingerprintOf, type Fingerprint } from './workspace-walk.ts';

/** Milliseconds: several ticks of the coarse clock that file systems use (10 ms at most). */
const SETTLED_MS = 100;

/** Digests kept: as many as a walk over the workspace sees. */
const DIGESTS_MAX = 10_000;

/** Bytes read at once: almost every file whole, without a stream for it. */
const CHUNK_BYTES = 256 * 1024;

export interface Hashed {
  readonly sizeBytes: number;
  /** SHA-256 in hexadecimal digits. */
  readonly digest: string;
}

export class FileDigests {
  readonly #clock: Pick<Clock, 'nowMs'>;
  /** By path, the oldest first. */
  readonly #kept = new Map<string, Hashed & { readonly fingerprint: Fingerprint }>();

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
  }

  /** The digest of a file whose metadata are known; undefined if it has to be hashed. */
  find(path: string, now: Fingerprint): string | undefined {
    const kept = this.#kept.get(path);
    return kept !== undefined && isSame(kept.fingerprint, now) ? kept.digest : undefined;
  }

  async of(path: string, handle: FileHandle): Promise<string> {
    const before = fingerprintOfOpened(handle);
    const known = this.find(path, before);
    if (known !== undefined) return known;
    const hashed = await hashOpened(handle, before.sizeBytes);
    if (this.#clock.nowMs() - before.changedMs > SETTLED_MS) this.#keep(path, { ...hashed, fingerprint: before });
    return hashed.digest;
  }

  #keep(path: string, kept: Hashed & { readonly fingerprint: Fingerprint }): void {
    this.#kept.delete(path);
    this.#kept.set(path, kept);
    forgetOldest(this.#kept, DIGESTS_MAX);
  }
}

/** The kernel has the metadata of an open file at hand: asking costs 2 µs, and a thread that asks costs fifty times that. */
export function fingerprintOfOpened({ fd }: Pick<FileHandle, 'fd'>): Fingerprint {
  return fingerprintOf(fstatSync(fd));
}

/** Whether the bytes are the same, by the metadata. */
export function isSame(a: Fingerprint, b: Fingerprint): boolean {
  const isSameFile = a.inode === b.inode && a.sizeBytes === b.sizeBytes;
  return isSameFile && a.modifiedMs === b.modifiedMs && a.changedMs === b.changedMs;
}

/** @param sizeBytes  read at most: a file that grows meanwhile does not keep its reader */
export async function hashOpened(handle: FileHandle, sizeBytes: number): Promise<Hashed> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(Math.min(sizeBytes, CHUNK_BYTES));
  let readBytes = 0;
  while (readBytes < sizeBytes) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, sizeBytes - readBytes), readBytes);
    if (bytesRead === 0) break;
    hash.update(buffer.subarray(0, bytesRead));
    readBytes += bytesRead;
  }
  return { sizeBytes: readBytes, digest: hash.digest('hex') };
}
