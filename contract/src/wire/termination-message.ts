/** What a container of an agent's pod says by its end: a known reason and a bounded text, for a condition of the Agent. */
import { z } from 'zod';
import { CONDITION_REASONS } from '../api/conditions.ts';

/** Kubernetes keeps 4,096 bytes; the operator adds its own words to this in a condition. */
const MESSAGE_LENGTH_MAX = 512;

export const TerminationMessage = z.object({
  reason: z.enum(CONDITION_REASONS.Agent),
  /** Contains no user text. */
  message: z.string().max(MESSAGE_LENGTH_MAX),
});
export type TerminationMessage = z.infer<typeof TerminationMessage>;

export function terminationText({ reason, message }: TerminationMessage): string {
  return JSON.stringify({ reason, message: message.slice(0, MESSAGE_LENGTH_MAX) });
}
