/**
 * The dispatcher: starts the subtasks of a round group by group, with a limit on parallel ones, and sends the outcomes
 * of those that never start. It asks no model; the rules are in `dispatch/groups.ts`.
 *
 * Source: artoo A.7.
 */
import { decideDispatch, evolveDispatch, openRound, type DispatchFact } from '../dispatch/groups.ts';
import type { RoleContext } from '../role-context.ts';
import { received, sent, type RunState } from '../state.ts';
import type { Role } from './role.ts';

export const dispatcher: Role = { reads: { SubTask: (roleContext, { id, round }) => advance(roleContext, round, id) } };

/** Called after every new fact about the round's subtasks. Starts the subtasks that may start now. */
export function advance(roleContext: RoleContext, round: number, causationId: string): void {
  const { state } = roleContext;
  const known = factsOf(state, round).reduce(evolveDispatch, openRound(round));
  const { start, notStarted } = decideDispatch(known, state.spec.control);
  const reference = (subtaskId: string) => ({ round, causationId, correlationId: subtaskId });
  for (const subtask of start) roleContext.send('SubTaskDispatch', subtask, reference(subtask.subtaskId));
  for (const outcome of notStarted) roleContext.send('SubTaskOutcome', outcome, reference(outcome.subtaskId));
}

function factsOf(state: RunState, round: number): readonly DispatchFact[] {
  return [
    ...received(state, 'DispatchManifest', round).map(
      ({ payload }) => ({ kind: 'Manifest', round, manifest: payload }) as const,
    ),
    ...received(state, 'SubTask', round).map(({ payload }) => ({ kind: 'SubTask', round, subtask: payload }) as const),
    ...sent(state, 'SubTaskDispatch', round).map(
      ({ payload }) => ({ kind: 'Started', round, subtaskId: payload.subtaskId }) as const,
    ),
    ...sent(state, 'SubTaskOutcome', round).map(
      ({ payload }) => ({ kind: 'Outcome', round, outcome: payload }) as const,
    ),
  ];
}
