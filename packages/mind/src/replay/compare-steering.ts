/**
 * Compares the recorded steering of a run with the steering under other settings of the control loop.
 *
 * Every steered round is decided again on its recorded state, with the changed settings and with the changed steering's
 * results of the earlier rounds. The outcomes of a round come from the record. After the first difference the later
 * rounds are hypothetical: another directive would have led to another plan.
 *
 * I1  Under the recorded settings nothing differs.
 *
 * Source: design 5; artoo A.9.
 */
import type { AgentControl } from '@retainer/contract/api/agent-control';
import type { RunEvent, RunEventOf, RunInput } from '../run/event.ts';
import type { RunState } from '../run/state.ts';
import { groupsOf, type Decider, type Group, type Recorded } from './replay-machine.ts';

type Explanation = RunEventOf<'RoundSteered'>['explanation'];

export type SteeringAnswer = Explanation;

export interface SteeredRound {
  /** Of the record in the store `run`. */
  readonly seq: number;
  readonly round: number;
  readonly recorded: SteeringAnswer;
  /** Absent: this event would not have been steered. */
  readonly decided?: SteeringAnswer;
  /** The directive or the blocked items differ. */
  readonly isDifferent: boolean;
  /** An earlier round was steered differently, so this round would have been different. */
  readonly isHypothetical: boolean;
}

type RunDecider = Decider<RunState, RunInput, RunEvent>;
type Steered = RunEventOf<'RoundSteered'>;

/** @returns one entry for each steered round of the record, oldest first */
export function compareSteering(
  decider: RunDecider,
  recorded: readonly Recorded<RunEvent>[],
  control: AgentControl,
): readonly SteeredRound[] {
  let state: RunState | undefined;
  let steered: readonly Steered[] = [];
  const rounds: SteeredRound[] = [];
  for (const group of groupsOf(decider, recorded)) {
    const found = group.decisions.find(({ event }) => event.kind === 'RoundSteered');
    if (found !== undefined && state !== undefined) {
      const changed = { ...state, spec: { ...state.spec, control }, steered };
      const events = decider.decide(changed, group.input.event as RunInput);
      const decided = events.find((event) => event.kind === 'RoundSteered');
      const isHypothetical = rounds.some((it) => it.isDifferent);
      rounds.push({ ...compared(found as Recorded<Steered>, decided), isHypothetical });
      steered = [...steered, decided ?? (found.event as Steered)];
    }
    state = foldGroup(decider, state, group);
  }
  return rounds;
}

function compared(
  { seq, event }: Recorded<Steered>,
  decided: Steered | undefined,
): Omit<SteeredRound, 'isHypothetical'> {
  const isSame =
    decided !== undefined &&
    decided.explanation.directive === event.explanation.directive &&
    sameBlocked(decided.explanation.blocked, event.explanation.blocked);
  return {
    seq,
    round: event.round,
    recorded: event.explanation,
    ...(decided === undefined ? {} : { decided: decided.explanation }),
    isDifferent: !isSame,
  };
}

function sameBlocked(a: Explanation['blocked'], b: Explanation['blocked']): boolean {
  const all = ({ tools, targets, pairs = [] }: Explanation['blocked']): string =>
    JSON.stringify([tools, targets, pairs]);
  return all(a) === all(b);
}

function foldGroup(decider: RunDecider, before: RunState | undefined, group: Group<RunEvent>): RunState | undefined {
  return [group.input, ...group.decisions].reduce<RunState | undefined>(
    (state, { event }) => decider.evolve(state, event),
    before,
  );
}
