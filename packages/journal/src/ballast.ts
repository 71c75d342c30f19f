/**
 * Space kept in reserve: deleted when the volume is full, so that the record that says so still fits; written again before work
 * is taken up, which proves that the space has returned.
 *
 * Source: reliability-security 1 (first storage error).
 */
import { randomBytes } from 'node:crypto';
import type { FileSystem } from './file-system.ts';
import { writeFully } from './write-file.ts';

const pieceBytes = 1024 * 1024;

/** Nothing is done when it is there already. A failure leaves none. */
export async function keepBallast(fileSystem: FileSystem, directory: string, sizeBytes: number): Promise<void> {
  await writeBallast(fileSystem, directory, sizeBytes);
}

/** Share of the ballast that must be free beside it before work goes on: else the volume is full again at once. */
const marginRatio = 0.25;

/** As {@link keepBallast}, and only if there is room to go on for a while. */
export async function regainBallast(fileSystem: FileSystem, directory: string, sizeBytes: number): Promise<void> {
  await writeBallast(fileSystem, directory, Math.ceil(sizeBytes * (1 + marginRatio)));
  await fileSystem.truncate(`${directory}/ballast`, sizeBytes);
}

async function writeBallast(fileSystem: FileSystem, directory: string, sizeBytes: number): Promise<void> {
  const path = `${directory}/ballast`;
  const found = await fileSystem.sizeBytes(path);
  if (found === sizeBytes || sizeBytes === 0) return;
  if (found !== undefined) await fileSystem.unlink(path);
  // Random: a volume that compresses would keep no space for zeros.
  const piece = randomBytes(Math.min(pieceBytes, sizeBytes));
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

export async function dropBallast(fileSystem: FileSystem, directory: string): Promise<void> {
  const path = `${directory}/ballast`;
  if ((await fileSystem.sizeBytes(path)) !== undefined) await fileSystem.unlink(path);
}
