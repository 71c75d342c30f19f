/** Ids of the gates' subjects. Each input, call and reply of a cycle has its own. */
import type { GateName } from '../gate/verdict.ts';
import type { CycleState } from './state.ts';

/** A call's own id; for an input or a reply, an id made of the cycle and the turn. */
export function subjectIdOf(
  { spec, turns }: Pick<CycleState, 'spec' | 'turns'>,
  { gate, callId }: { readonly gate: GateName; readonly callId?: string },
): string {
  if (gate === 'Tool') return callId ?? spec.cycleId;
  return gate === 'Input' ? `${spec.cycleId}-in` : `${spec.cycleId}-o${turns}`;
}
