/** The last word of a container that cannot work, for the operator: a reason that it knows, and a bounded text. */
import { writeFile } from 'node:fs/promises';
import type { ConditionReason } from '@retainer/contract/api/conditions';

/** Kubernetes keeps 4,096 bytes; a condition's message has room for this and the operator's own words. */
const MESSAGE_LENGTH_MAX = 512;

export interface TerminationMessage {
  readonly reason: ConditionReason<'Agent'>;
  /** Holds no user text. */
  readonly message: string;
}

/** The text of the file. */
export function terminationText({ reason, message }: TerminationMessage): string {
  return JSON.stringify({ reason, message: message.slice(0, MESSAGE_LENGTH_MAX) });
}

/** Never rejects: the log says the same. */
export async function writeTerminationMessage(path: string, message: TerminationMessage): Promise<void> {
  await writeFile(path, terminationText(message)).catch(() => undefined);
}
