/** The ids of what gates judge: each input, call and reply of a cycle has one of its own. */
import type { GateName } from '../gate/verdict.ts';
import type { CycleState } from './state.ts';

/** Of a call its own id; of the input and of a reply one that the cycle and the turn give. */
export function subjectIdOf(
  { spec, turns }: Pick<CycleState, 'spec' | 'turns'>,
  { gate, callId }: { readonly gate: GateName; readonly callId?: string },
): string {
  if (gate === 'Tool') return callId ?? spec.cycleId;
  return gate === 'Input' ? `${spec.cycleId}-in` : `${spec.cycleId}-o${turns}`;
}
