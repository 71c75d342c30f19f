/** Writes the termination message of the container for the operator. */
import { writeFile } from 'node:fs/promises';
import { terminationText, type TerminationMessage } from '@retainer/contract/wire/termination-message';

/** Never rejects: the log contains the same. */
export async function writeTerminationMessage(path: string, message: TerminationMessage): Promise<void> {
  await writeFile(path, terminationText(message)).catch(() => undefined);
}
