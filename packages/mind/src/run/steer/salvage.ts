/** Keeps matched work of rounds that failed as a whole. Source: artoo A.4, A.9. */
import type { AgentControl } from '@retainer/contract/api/agent-control';
import type { Salvage, SubTaskOutcome } from '@retainer/contract/wire/bus/payloads';
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import type { SteerState } from './steer-state.ts';
import { matchedInOrder, mergeOutputs } from '../dispatch/merge.ts';

/** Most characters of one kept output: as much as a later subtask sees of an earlier one. Source: artoo A.7. */
export const SALVAGE_CHARACTERS_MAX = 4000;

/** Most kept outputs of a run, the newest: more than the subtasks of one plan, and small enough for one message. */
export const SALVAGE_MAX = 64;

/** The salvage after a failed round. A repeated subtask replaces the earlier output of the same intent. */
export function keepMatched(kept: readonly Salvage[], outcomes: readonly SubTaskOutcome[], round: number): Salvage[] {
  const fresh = matchedInOrder(outcomes).map(({ subtaskId, intent, output, artifactId }) => ({
    subtaskId,
    round,
    intent,
    output: headAndTail(output, SALVAGE_CHARACTERS_MAX),
    ...(artifactId === undefined ? {} : { artifactId }),
  }));
  const redone = new Set(fresh.map((it) => it.intent));
  return [...kept.filter((it) => !redone.has(it.intent)), ...fresh].slice(-SALVAGE_MAX);
}

/**
 * The output of a run that ends without an acceptance.
 *
 * Profiles other than `Spec`, and a plan that received the salvage, build on earlier rounds, so these are part of the result. Otherwise
 * each
 * plan starts from nothing: this round counts, or, when nothing in it matched, the last round in which something did.
 */
export function deliverable(
  profile: AgentControl['profile'],
  outcomes: readonly SubTaskOutcome[],
  { salvage: kept, isSalvageHanded = false }: Pick<SteerState, 'salvage' | 'isSalvageHanded'>,
): string {
  if (profile !== 'Spec' || isSalvageHanded) {
    const redone = new Set(matchedInOrder(outcomes).map((it) => it.intent));
    return mergeOutputs(
      outcomes,
      kept.filter((it) => !redone.has(it.intent)),
    );
  }
  if (matchedInOrder(outcomes).length > 0) return mergeOutputs(outcomes);
  const last = Math.max(0, ...kept.map((it) => it.round));
  return mergeOutputs(
    [],
    kept.filter((it) => it.round === last),
  );
}
