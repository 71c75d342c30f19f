/**
 * Content under its own hash: `blobs/aa/SHA256.gz`.
 *
 * I1  A blob is on the disk, name and content, before the promise of {@link Blobs.put} resolves.
 * I2  A read gives content with the requested hash, or an error.
 *
 * Source: reliability-security 1 (record); design 5.
 */
import { promisify } from 'node:util';
import { gunzip, gunzipSync, gzip, gzipSync } from 'node:zlib';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { FileSystem } from './file-system.ts';
import { InvalidRecordError, JournalCorruptError } from './journal-errors.ts';
import type { BlobRef } from './journal.ts';
import { BLOB_BYTES_MAX } from './limits.ts';
import { readWhole, replaceFile } from './write-file.ts';

const gzipAsync = promisify(gzip);
const gunzipAsync = promisify(gunzip);

/** Fastest level: it already shrinks model requests to a fifth. */
const compression = { level: 1 };
/** Compressed synchronously up to this size: that costs less than a thread switch, and simulations stay repeatable. */
const AT_ONCE_BYTES = 256 * 1024;

export class Blobs {
  readonly #fileSystem: FileSystem;
  readonly #directory: string;
  /** Hash → its only write in this process, finished or under way. */
  readonly #writes = new Map<string, Promise<void>>();

  constructor(fileSystem: FileSystem, journalDirectory: string) {
    this.#fileSystem = fileSystem;
    this.#directory = `${journalDirectory}/blobs`;
  }

  async put(bytes: Uint8Array): Promise<BlobRef> {
    if (bytes.length > BLOB_BYTES_MAX)
      throw new InvalidRecordError(`content of ${bytes.length} bytes: at most ${BLOB_BYTES_MAX} are kept`);
    const sha256 = sha256Hex(bytes);
    const write = this.#writes.get(sha256) ?? this.#write(sha256, bytes);
    this.#writes.set(sha256, write);
    try {
      await write;
    } catch (error) {
      this.#writes.delete(sha256);
      throw error;
    }
    return { sha256, sizeBytes: bytes.length };
  }

  async #write(sha256: string, bytes: Uint8Array): Promise<void> {
    const directory = blobDirectory(this.#directory, sha256);
    const path = blobPath(this.#directory, sha256);
    if ((await this.#fileSystem.sizeBytes(path)) !== undefined) {
      // The process that renamed the blob into place may have died before the name was durable.
      await this.#fileSystem.syncDirectory(directory);
      return;
    }
    await this.#fileSystem.makeDirectory(directory);
    await this.#fileSystem.syncDirectory(this.#directory);
    const packed = bytes.length <= AT_ONCE_BYTES ? gzipSync(bytes, compression) : await gzipAsync(bytes, compression);
    await replaceFile(this.#fileSystem, path, packed);
  }
}

/** @throws JournalCorruptError  when the blob is missing or has another hash; `place` names the referrer */
export async function readBlob(
  fileSystem: FileSystem,
  journalDirectory: string,
  ref: BlobRef,
  place: { readonly store: string; readonly seq: number } = { store: 'blobs', seq: 0 },
): Promise<Buffer> {
  const path = blobPath(`${journalDirectory}/blobs`, ref.sha256);
  const at = { ...place, file: path };
  if ((await fileSystem.sizeBytes(path)) === undefined) throw new JournalCorruptError(at, 'the blob is missing');
  const packed = await readWhole(fileSystem, path);
  let bytes: Buffer;
  try {
    const limit = { maxOutputLength: Math.min(BLOB_BYTES_MAX, Math.max(ref.sizeBytes, 1)) };
    bytes = ref.sizeBytes <= AT_ONCE_BYTES ? gunzipSync(packed, limit) : await gunzipAsync(packed, limit);
  } catch {
    throw new JournalCorruptError(at, 'the blob cannot be unpacked');
  }
  if (bytes.length !== ref.sizeBytes || sha256Hex(bytes) !== ref.sha256)
    throw new JournalCorruptError(at, 'the content is not what its hash says');
  return bytes;
}

function blobDirectory(directory: string, sha256: string): string {
  return `${directory}/${sha256.slice(0, 2)}`;
}

function blobPath(directory: string, sha256: string): string {
  return `${blobDirectory(directory, sha256)}/${sha256}.gz`;
}
