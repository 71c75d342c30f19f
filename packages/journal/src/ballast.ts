/**
 * Reserved space. The journal deletes it when the volume is full, so that the record about the full volume still fits. The
 * journal writes it again before work resumes, which proves that there is space again.
 *
 * Source: reliability-security 1 (first storage error).
 */
import { randomBytes } from 'node:crypto';
import type { FileSystem } from './file-system.ts';
import { writeFully } from './write-file.ts';

const PIECE_BYTES = 1024 * 1024;

/** Does nothing if the ballast exists. A failure leaves no partial file. */
export async function keepBallast(fileSystem: FileSystem, directory: string, sizeBytes: number): Promise<void> {
  const path = `${directory}/ballast`;
  const found = await fileSystem.sizeBytes(path);
  if (found === sizeBytes || sizeBytes === 0) return;
  if (found !== undefined) await fileSystem.unlink(path);
  // Random bytes: a volume that compresses would reserve no space for zeros.
  const piece = randomBytes(Math.min(PIECE_BYTES, sizeBytes));
  const file = await fileSystem.open(path, 'create');
  try {
    for (let left = sizeBytes; left > 0; left -= piece.length) await writeFully(file, piece.subarray(0, left));
    await file.sync();
  } catch (error) {
    await dropBallast(fileSystem, directory);
    throw error;
  } finally {
    await file.close();
  }
  await fileSystem.syncDirectory(directory);
}

/** Share of the ballast that must be free besides it before work resumes; otherwise the volume would be full again at once. */
const MARGIN_RATIO = 0.25;

/** As {@link keepBallast}, but only if there is room to work for a while. */
export async function regainBallast(fileSystem: FileSystem, directory: string, sizeBytes: number): Promise<void> {
  await keepBallast(fileSystem, directory, Math.ceil(sizeBytes * (1 + MARGIN_RATIO)));
  await fileSystem.truncate(`${directory}/ballast`, sizeBytes);
}

export async function dropBallast(fileSystem: FileSystem, directory: string): Promise<void> {
  const path = `${directory}/ballast`;
  if ((await fileSystem.sizeBytes(path)) !== undefined) await fileSystem.unlink(path);
}
