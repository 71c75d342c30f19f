/**
 * Feeds the recorded inputs of one state machine to its decider and compares the decisions with the record.
 *
 * I1  Equal means: the canonical JSON of every decision is the same, byte for byte, and no decision is missing or extra.
 * I2  The state follows the new decisions, not the recorded ones, up to the first divergence; there it stops.
 * I3  A group that a crash cut off is no divergence when another writer continued the record after it.
 * I4  What deciders of another number decided is compared and counted, but is no divergence. The state then follows the record.
 *
 * Source: design 5.
 */
import { DECIDERS, decidersFrom } from '../cycle/deciders.ts';
import { firstDifference, type Difference } from './first-difference.ts';

/** A pure decider over its own events, such as the machines of `loop/`. */
export interface Decider<State, Input extends Event, Event extends { readonly kind: string }> {
  isInput(event: Event): event is Input;
  decide(state: State | undefined, input: Input): readonly Event[];
  evolve(state: State | undefined, event: Event): State;
}

/** An event and its place in the record. */
export interface Recorded<Event> {
  readonly event: Event;
  readonly store: string;
  readonly seq: number;
  readonly order: number;
  readonly epoch: number;
}

export interface Divergence extends Difference {
  readonly store: string;
  /** Of the differing record; of the input when a decision after it is missing. */
  readonly seq: number;
  readonly kind: string;
  /** Sequence of the decided input. */
  readonly inputSeq: number;
}

export interface MachineReplay {
  readonly inputs: number;
  /** Equal decisions. */
  readonly decisions: number;
  /** Groups that a crash cut off and nobody completed. */
  readonly cutGroups: number;
  readonly divergence: Divergence | undefined;
  /** Inputs that deciders of another number decided. */
  readonly otherInputs: number;
  /** Those of them that these deciders decide otherwise, oldest first. */
  readonly decidedOtherwise: readonly Divergence[];
}

export interface Group<Event> {
  readonly input: Recorded<Event>;
  readonly decisions: readonly Recorded<Event>[];
}

/**
 * @param deciderAt  the decider as it was configured when the record with this order was written
 * @param recorded   all events of one machine, oldest first
 */
export function replayMachine<State, Input extends Event, Event extends { readonly kind: string }>(
  deciderAt: (order: number) => Decider<State, Input, Event>,
  recorded: readonly Recorded<Event>[],
): MachineReplay {
  const groups = groupsOf(deciderAt(0), recorded);
  const told = { inputs: 0, decisions: 0, cutGroups: 0, otherInputs: 0 };
  const decidedOtherwise: Divergence[] = [];
  let state: State | undefined;
  let deciders = DECIDERS;
  for (const [index, group] of groups.entries()) {
    deciders = decidersFrom(group.input.event) ?? deciders;
    const isOwn = deciders === DECIDERS;
    const decider = deciderAt(group.input.order);
    const { decided, divergence, isCut } = compared(decider, state, group, { isOwn, next: groups[index + 1] });
    told.inputs += 1;
    told.decisions += divergence === undefined ? group.decisions.length : equalDecisions(group, divergence);
    if (divergence !== undefined && isOwn) return { ...told, decidedOtherwise, divergence };
    if (divergence !== undefined) decidedOtherwise.push(divergence);
    if (isCut) told.cutGroups += 1;
    if (!isOwn) told.otherInputs += 1;
    const kept = isOwn && !isCut ? decided : [group.input, ...group.decisions].map(({ event }) => event);
    for (const event of kept) state = decider.evolve(state, event);
  }
  return { ...told, decidedOtherwise, divergence: undefined };
}

function compared<State, Input extends Event, Event extends { readonly kind: string }>(
  decider: Decider<State, Input, Event>,
  state: State | undefined,
  group: Group<Event>,
  { isOwn, next }: { readonly isOwn: boolean; readonly next: Group<Event> | undefined },
): { readonly decided: readonly Event[]; readonly divergence: Divergence | undefined; readonly isCut: boolean } {
  const { event } = group.input;
  const decided = isOwn ? decider.decide(state, event as Input) : triedAnew(decider, state, event);
  const divergence = compareGroup(group, decided);
  const isCut = divergence !== undefined && isCutOff(group, decided, next);
  return { decided, divergence: isCut ? undefined : divergence, isCut };
}

/** What other deciders recorded may lead to a state that these ones never make. */
export function triedAnew<State, Input extends Event, Event extends { readonly kind: string }>(
  decider: Decider<State, Input, Event>,
  state: State | undefined,
  input: Event,
): readonly Event[] {
  try {
    return decider.decide(state, input as Input);
  } catch {
    return [];
  }
}

/** An input with everything up to the next one. */
export function groupsOf<State, Input extends Event, Event extends { readonly kind: string }>(
  decider: Pick<Decider<State, Input, Event>, 'isInput'>,
  recorded: readonly Recorded<Event>[],
): readonly Group<Event>[] {
  const groups: { readonly input: Recorded<Event>; readonly decisions: Recorded<Event>[] }[] = [];
  for (const item of recorded) {
    const open = groups.at(-1);
    if (decider.isInput(item.event) || open === undefined) groups.push({ input: item, decisions: [] });
    else open.decisions.push(item);
  }
  return groups;
}

/** The first decided element is the input itself; a stale input has no decisions. */
function compareGroup<Event extends { readonly kind: string }>(
  { input, decisions }: Group<Event>,
  decided: readonly Event[],
): Divergence | undefined {
  const expected = decided.slice(1);
  const length = Math.max(decisions.length, expected.length);
  for (let index = 0; index < length; index += 1) {
    const item = decisions[index];
    const found = firstDifference(item?.event, expected[index]);
    if (found === undefined) continue;
    const { store, seq } = item ?? input;
    return { store, seq, kind: item?.event.kind ?? input.event.kind, inputSeq: input.seq, ...found };
  }
  return undefined;
}

function isCutOff<Event>(group: Group<Event>, decided: readonly Event[], next: Group<Event> | undefined): boolean {
  const isPrefix =
    group.decisions.length + 1 < decided.length &&
    group.decisions.every((item, index) => firstDifference(item.event, decided[index + 1]) === undefined);
  const last = group.decisions.at(-1) ?? group.input;
  return isPrefix && (next === undefined || next.input.epoch !== last.epoch);
}

function equalDecisions<Event>(group: Group<Event>, divergence: Divergence): number {
  return group.decisions.filter((item) => item.seq < divergence.seq).length;
}
