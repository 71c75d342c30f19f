/** An agent's termination message: a known reason and a bounded text. Anything else is not trusted. Pure. */
import { CONDITION_REASONS, type ConditionReason } from '@retainer/contract/api/conditions';
import { parseJson } from '@retainer/contract/std/parse-json';
import { z } from 'zod';

const Termination = z.object({ reason: z.enum(CONDITION_REASONS.Agent), message: z.string().max(512) });

export interface TerminationReason {
  readonly reason: ConditionReason<'Agent'>;
  readonly message: string;
}

/** @param text  a container's termination message: at most 4 KiB by the kubelet */
export function terminationReason(text: string | undefined): TerminationReason | undefined {
  const parsed = Termination.safeParse(parseJson(text ?? ''));
  return parsed.success ? parsed.data : undefined;
}
