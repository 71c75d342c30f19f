/**
 * Decides which subtasks of a round may start: group by group, in the order of their sequence, with a limit on parallel ones.
 *
 * I1  Facts may come in any order and more than once: the state is the same, and so is every later decision.
 * I2  No subtask starts before all subtasks of its round have arrived and every earlier group is done.
 * I3  Every subtask of the manifest gets exactly one outcome. The outcome of one that cannot start says so.
 *
 * Source: artoo A.7.
 */
import type { AgentControl } from '@retainer/contract/api/agent-control';
import type { BusPayload } from '@retainer/contract/wire/bus/envelope';
import type { SubTask, SubTaskOutcome } from '@retainer/contract/wire/bus/payloads';
import { byPlace, withPriorOutputs } from './merge.ts';

export interface DispatchState {
  readonly round: number;
  readonly manifest: BusPayload<'DispatchManifest'> | undefined;
  /** By id. */
  readonly subtasks: Readonly<Record<string, SubTask>>;
  readonly started: Readonly<Record<string, true>>;
  readonly outcomes: Readonly<Record<string, SubTaskOutcome>>;
}

export function openRound(round: number): DispatchState {
  return { round, manifest: undefined, subtasks: {}, started: {}, outcomes: {} };
}

export type DispatchFact =
  | { readonly kind: 'Manifest'; readonly round: number; readonly manifest: BusPayload<'DispatchManifest'> }
  | { readonly kind: 'SubTask'; readonly round: number; readonly subtask: SubTask }
  | { readonly kind: 'Started'; readonly round: number; readonly subtaskId: string }
  | { readonly kind: 'Outcome'; readonly round: number; readonly outcome: SubTaskOutcome };

/** The first fact about anything holds. Facts of another round change nothing. */
export function evolveDispatch(state: DispatchState, fact: DispatchFact): DispatchState {
  if (fact.round !== state.round) return state;
  switch (fact.kind) {
    case 'Manifest':
      return state.manifest === undefined ? { ...state, manifest: fact.manifest } : state;
    case 'SubTask':
      return { ...state, subtasks: withFirst(state.subtasks, fact.subtask.subtaskId, fact.subtask) };
    case 'Started':
      return { ...state, started: withFirst(state.started, fact.subtaskId, true) };
    case 'Outcome':
      return { ...state, outcomes: withFirst(state.outcomes, fact.outcome.subtaskId, fact.outcome) };
  }
}

function withFirst<T>(known: Readonly<Record<string, T>>, id: string, value: T): Readonly<Record<string, T>> {
  return Object.hasOwn(known, id) ? known : { ...known, [id]: value };
}

export type DispatchKnobs = Pick<AgentControl, 'maxParallelSubtasks' | 'continueAfterFailedGroup'>;

export interface DispatchDecision {
  /** Subtasks to start now, in their order. Their context contains the outputs of earlier groups. */
  readonly start: readonly SubTask[];
  /** Outcomes of subtasks that never start. */
  readonly notStarted: readonly SubTaskOutcome[];
  /** Every subtask of the manifest has its outcome. */
  readonly isDone: boolean;
}

const nothing: DispatchDecision = { start: [], notStarted: [], isDone: false };

export function decideDispatch(state: DispatchState, knobs: DispatchKnobs): DispatchDecision {
  const all = completeRound(state);
  if (all === undefined) return nothing;
  const open = all.filter((it) => !Object.hasOwn(state.outcomes, it.subtaskId));
  const [next] = open;
  if (next === undefined) return { ...nothing, isDone: true };
  const failed = knobs.continueAfterFailedGroup ? undefined : failedBefore(all, next.sequence, state);
  if (failed !== undefined) {
    const waiting = open.filter((it) => !Object.hasOwn(state.started, it.subtaskId));
    return { ...nothing, notStarted: waiting.map((it) => notStarted(it, failed)) };
  }
  const group = open.filter((it) => it.sequence === next.sequence);
  const waiting = group.filter((it) => !Object.hasOwn(state.started, it.subtaskId));
  const free = Math.max(0, knobs.maxParallelSubtasks - (group.length - waiting.length));
  return { ...nothing, start: waiting.slice(0, free).map((it) => prepared(it, all, state)) };
}

/** The subtasks of the manifest in their order; undefined while one of them, or the manifest, is missing. */
function completeRound({ manifest, subtasks }: DispatchState): readonly SubTask[] | undefined {
  if (manifest === undefined) return undefined;
  const ids = [...new Set(manifest.subtaskIds)];
  const known = ids.flatMap((id) => (Object.hasOwn(subtasks, id) ? (subtasks[id] ?? []) : []));
  return known.length === ids.length ? known.toSorted(byPlace) : undefined;
}

/** Sequence of the first group before `sequence` in which a subtask failed. */
function failedBefore(all: readonly SubTask[], sequence: number, { outcomes }: DispatchState): number | undefined {
  return all.find((it) => it.sequence < sequence && outcomes[it.subtaskId]?.status === 'Failed')?.sequence;
}

/** Source: artoo A.7. */
function notStarted(subtask: SubTask, failedGroup: number): SubTaskOutcome {
  const { subtaskId, intent, sequence, position, criteria } = subtask;
  return {
    subtaskId,
    intent,
    sequence,
    position,
    criteria,
    status: 'Failed',
    output: '',
    failureReason: `not started: prerequisite group ${failedGroup} failed`,
    failureClass: 'Environmental',
    started: false,
    trajectory: [],
    verdicts: [],
    calls: [],
  };
}

function prepared(subtask: SubTask, all: readonly SubTask[], { outcomes, manifest }: DispatchState): SubTask {
  const earlier = all.filter((it) => it.sequence < subtask.sequence).flatMap((it) => outcomes[it.subtaskId] ?? []);
  return { ...subtask, context: withPriorOutputs(subtask.context, earlier, manifest?.salvage ?? []) };
}
