/** Writes the termination message of the container for the operator: a known reason and a bounded text. */
import { writeFile } from 'node:fs/promises';
import type { ConditionReason } from '@retainer/contract/api/conditions';

/** Kubernetes keeps 4,096 bytes; the operator adds its own words to this in a condition. */
const MESSAGE_LENGTH_MAX = 512;

export interface TerminationMessage {
  readonly reason: ConditionReason<'Agent'>;
  /** Contains no user text. */
  readonly message: string;
}

export function terminationText({ reason, message }: TerminationMessage): string {
  return JSON.stringify({ reason, message: message.slice(0, MESSAGE_LENGTH_MAX) });
}

/** Never rejects: the log contains the same. */
export async function writeTerminationMessage(path: string, message: TerminationMessage): Promise<void> {
  await writeFile(path, terminationText(message)).catch(() => undefined);
}
