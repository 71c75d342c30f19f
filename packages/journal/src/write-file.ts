/** The two ways in which this folder writes to a disk. */
import type { FileSystem, OpenFile } from './file-system.ts';
import { errorCode } from './journal-errors.ts';
import { WRITE_ATTEMPTS_MAX } from './limits.ts';

/**
 * Writes all of `bytes`, looping over short counts: a full volume may take a part and report no error.
 *
 * `fromBytes` is given for a file opened for `update`. An interrupted write wrote nothing and is tried again; any other error
 * ends the call.
 *
 * Source: reliability-security 0, 1.
 */
export async function writeFully(file: OpenFile, bytes: Uint8Array, fromBytes?: number): Promise<void> {
  let writtenBytes = 0;
  let idleAttempts = 0;
  while (writtenBytes < bytes.length) {
    const rest = bytes.subarray(writtenBytes);
    const at = fromBytes === undefined ? undefined : fromBytes + writtenBytes;
    const count = await writeSome(() => (at === undefined ? file.write(rest) : file.writeAt(at, rest)));
    writtenBytes += count;
    idleAttempts = count > 0 ? 0 : idleAttempts + 1;
    if (idleAttempts < WRITE_ATTEMPTS_MAX) continue;
    throw Object.assign(new Error(`${WRITE_ATTEMPTS_MAX} writes in a row wrote nothing`), { code: 'EIO' });
  }
}

async function writeSome(write: () => Promise<number>): Promise<number> {
  try {
    return await write();
  } catch (error) {
    if (errorCode(error) === 'EINTR') return 0;
    throw error;
  }
}

/**
 * Replaces a whole file: temporary file beside it, write, sync, rename, sync of the directory. Readers see the old content or
 * the new one, after any crash.
 *
 * Source: reliability-security 1 (all other files).
 */
export async function replaceFile(fileSystem: FileSystem, path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.tmp`;
  if ((await fileSystem.sizeBytes(temporary)) !== undefined) await fileSystem.unlink(temporary);
  const file = await fileSystem.open(temporary, 'create');
  try {
    await writeFully(file, bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await fileSystem.rename(temporary, path);
  await fileSystem.syncDirectory(path.slice(0, path.lastIndexOf('/')));
}

/** All bytes of a file. */
export async function readWhole(fileSystem: FileSystem, path: string): Promise<Buffer> {
  const sizeBytes = (await fileSystem.sizeBytes(path)) ?? 0;
  const file = await fileSystem.open(path, 'read');
  try {
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < sizeBytes;) {
      const piece = await file.read(at, sizeBytes - at);
      if (piece.length === 0) break;
      pieces.push(piece);
      at += piece.length;
    }
    return Buffer.concat(pieces);
  } finally {
    await file.close();
  }
}
