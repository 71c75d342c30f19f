/**
 * What a changed character would have decided otherwise.
 *
 * Every input is decided anew upon the state that the record left before it: the question is what the gate would have said to
 * the history as it was, not what history would have become.
 *
 * Source: design 5.2 (re-run under a changed CharacterSpec).
 */
import type { CycleEvent, CycleInput } from '../cycle/event.ts';
import type { CycleState } from '../cycle/state.ts';
import { groupsOf, type Decider, type Group, type Recorded } from './replay-machine.ts';

type Verdict = Extract<CycleEvent, { kind: 'GateDecided' }>;

export interface GateComparison {
  /** Gate decisions that were asked again. */
  readonly compared: number;
  /** In the order of the record. */
  readonly differences: readonly GateDifference[];
}

export interface GateDifference {
  readonly seq: number;
  readonly gate: Verdict['gate'];
  readonly tool?: string;
  readonly callId?: string;
  readonly recorded: GateAnswer;
  /** Absent: an earlier refusal of the same answer would have come before it. */
  readonly decided?: GateAnswer;
}

export interface GateAnswer {
  readonly verdict: Verdict['verdict'];
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
    const answers = verdictsOf(decider.decide(state, group.input.event as CycleInput));
    for (const item of group.decisions.filter((it) => it.event.kind === 'GateDecided')) {
      compared += 1;
      const difference = differenceOf(item as Recorded<Verdict>, answers);
      if (difference !== undefined) differences.push(difference);
    }
    state = foldGroup(decider, state, group);
  }
  return { compared, differences };
}

function verdictsOf(events: readonly CycleEvent[]): readonly Verdict[] {
  return events.filter((event) => event.kind === 'GateDecided');
}

function differenceOf({ event, seq }: Recorded<Verdict>, answers: readonly Verdict[]): GateDifference | undefined {
  const decided = answers.find((it) => it.gate === event.gate && it.callId === event.callId);
  if (decided?.verdict === event.verdict && decided.rule === event.rule) return undefined;
  return {
    seq,
    gate: event.gate,
    ...(event.tool === undefined ? {} : { tool: event.tool }),
    ...(event.callId === undefined ? {} : { callId: event.callId }),
    recorded: answerOf(event),
    ...(decided === undefined ? {} : { decided: answerOf(decided) }),
  };
}

function answerOf({ verdict, rule, reason }: Verdict): GateAnswer {
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
