/** Directories of the agent that nobody else on the machine may read or write: commands to it, its replies, its files. */
import { chmod, mkdir, stat } from 'node:fs/promises';

export const PRIVATE_DIRECTORY_MODE = 0o700;
const PERMISSION_BITS = 0o777;

/** Makes the directory, and closes one that stands open to others. */
export async function makePrivate(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
  const { mode } = await stat(directory);
  if ((mode & PERMISSION_BITS) !== PRIVATE_DIRECTORY_MODE) await chmod(directory, PRIVATE_DIRECTORY_MODE);
}
