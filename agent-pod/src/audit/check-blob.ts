/** Checks that the content of a record's blob exists and matches its hash. Streamed, so its size does not matter. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, gunzipSync } from 'node:zlib';
import type { FindingKind } from './finding.ts';
import { isMissing } from './journal-directory.ts';

/** Four bytes per character of the longest bus message, whose content is read whole. */
const TEXT_BYTES_MAX = 32 * 1024 * 1024;

export interface BlobUse {
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** Path relative to the journal's directory. */
export function blobFile(sha256: string): string {
  return `blobs/${sha256.slice(0, 2)}/${sha256}.gz`;
}

/** Undefined when the blob is intact. */
export async function checkBlob(
  directory: string,
  { sha256, sizeBytes }: BlobUse,
): Promise<{ readonly kind: FindingKind; readonly detail: string } | undefined> {
  const hash = createHash('sha256');
  let foundBytes = 0;
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      foundBytes += chunk.length;
      hash.update(chunk);
      // Stops at the recorded size, because a small file could unpack without end.
      done(foundBytes > sizeBytes ? new Error('longer than the record says') : null);
    },
  });
  try {
    await pipeline(createReadStream(`${directory}/${blobFile(sha256)}`), createGunzip(), sink);
  } catch (error) {
    if (isMissing(error)) return { kind: 'BlobMissing', detail: `${sizeBytes} bytes were kept there` };
    if (isReadError(error)) throw error;
    return { kind: 'BlobCorrupt', detail: 'it cannot be unpacked to the content in the record' };
  }
  if (foundBytes === sizeBytes && hash.digest('hex') === sha256) return undefined;
  return {
    kind: 'BlobCorrupt',
    detail: `it has ${foundBytes} bytes, or another content than the ${sizeBytes} bytes that were kept`,
  };
}

/** The blob's text; undefined when it is too long or {@link checkBlob} finds a fault. */
export async function readBlob(directory: string, use: BlobUse): Promise<string | undefined> {
  if (use.sizeBytes > TEXT_BYTES_MAX || (await checkBlob(directory, use)) !== undefined) return undefined;
  const packed = await readFile(`${directory}/${blobFile(use.sha256)}`);
  return gunzipSync(packed, { maxOutputLength: TEXT_BYTES_MAX }).toString('utf8');
}

/** An error of the file system, which proves nothing about the blob. */
function isReadError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
