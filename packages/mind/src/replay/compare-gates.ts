/**
 * Compares recorded verdicts with those of a changed character.
 *
 * Recorded forecasts and probes are reused when the changed character asks the same questions; a different question is
 * reported. Every input is decided on the state that the record left before it. The comparison shows how the changed
 * gate judges the recorded history, not how the history would have changed.
 *
 * Source: design 5 (re-run under a changed CharacterSpec).
 */
import type { CycleEvent, CycleInput } from '../cycle/event.ts';
import type { CycleState } from '../cycle/state.ts';
import { groupsOf, type Decider, type Group, type Recorded } from './replay-machine.ts';

type GateDecision = Extract<CycleEvent, { kind: 'GateDecided' }>;

export interface GateComparison {
  /** Gate decisions that were made again. */
  readonly compared: number;
  /** In the order of the record. */
  readonly differences: readonly GateDifference[];
}

export interface GateDifference {
  readonly seq: number;
  readonly gate: GateDecision['gate'];
  readonly tool?: string;
  readonly callId?: string;
  readonly recorded: GateAnswer;
  /** Absent: an earlier refusal of the same answer would have preceded it, or it would be scored again. */
  readonly decided?: GateAnswer;
  /** The record lacks an answer to a question of the changed character. */
  readonly isAskedAnew?: true;
}

export interface GateAnswer {
  readonly verdict: GateDecision['verdict'];
  readonly rule: string;
  readonly reason: string;
}

/** @param decider  the cycle's decider with the gate of the changed character */
export function compareGates(
  decider: Decider<CycleState, CycleInput, CycleEvent>,
  recorded: readonly Recorded<CycleEvent>[],
): GateComparison {
  let state: CycleState | undefined;
  let compared = 0;
  const differences: GateDifference[] = [];
  for (const group of groupsOf(decider, recorded)) {
    const decided = decider.decide(state, group.input.event as CycleInput);
    for (const item of group.decisions.filter((it) => it.event.kind === 'GateDecided')) {
      compared += 1;
      const difference = differenceOf(item as Recorded<GateDecision>, decided);
      if (difference !== undefined) differences.push(difference);
    }
    state = foldGroup(decider, state, group);
  }
  return { compared, differences };
}

function differenceOf(
  { event, seq }: Recorded<GateDecision>,
  events: readonly CycleEvent[],
): GateDifference | undefined {
  const isOfSame = (it: CycleEvent): boolean =>
    'gate' in it && it.gate === event.gate && (it.callId === event.callId || isAmongOthers(it, event.callId));
  const decided = events.find((it) => it.kind === 'GateDecided' && isOfSame(it)) as GateDecision | undefined;
  const place = {
    seq,
    gate: event.gate,
    ...(event.tool === undefined ? {} : { tool: event.tool }),
    ...(event.callId === undefined ? {} : { callId: event.callId }),
    recorded: answerOf(event),
  };
  if (isUnanswered(event, decided) || (decided === undefined && events.some((it) => asksOf(it) && isOfSame(it))))
    return { ...place, isAskedAnew: true };
  if (decided?.verdict === event.verdict && decided.rule === event.rule) return undefined;
  return { ...place, ...(decided === undefined ? {} : { decided: answerOf(decided) }) };
}

function isAmongOthers(event: CycleEvent, callId: string | undefined): boolean {
  return event.kind === 'GateScoreRequested' && event.others?.some((it) => it.callId === callId) === true;
}

/** The recorded forecasts concern other features than the changed character's. */
function isUnanswered({ record }: GateDecision, decided: GateDecision | undefined): boolean {
  return record?.scorer === 'Available' && decided?.record?.scorer === 'Unavailable';
}

function asksOf({ kind }: CycleEvent): boolean {
  return kind === 'GateProbeRequested' || kind === 'GateScoreRequested';
}

function answerOf({ verdict, rule, reason }: GateDecision): GateAnswer {
  return { verdict, rule, reason };
}

function foldGroup(
  decider: Decider<CycleState, CycleInput, CycleEvent>,
  before: CycleState | undefined,
  group: Group<CycleEvent>,
): CycleState | undefined {
  return [group.input, ...group.decisions].reduce<CycleState | undefined>(
    (state, { event }) => decider.evolve(state, event),
    before,
  );
}
