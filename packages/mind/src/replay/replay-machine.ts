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
  /** What these deciders give there; absent: nothing. */
  readonly decidedKind?: string;
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

interface OpenGroup<Event> extends Group<Event> {
  readonly decisions: Recorded<Event>[];
}

/**
 * @param deciderAt  the decider as it was configured when the record with this order was written
 * @param recorded   all events of one machine, oldest first
 */
export function replayMachine<State, Input extends Event, Event extends { readonly kind: string }>(
  deciderAt: (order: number) => Decider<State, Input, Event>,
  recorded: readonly Recorded<Event>[],
): MachineReplay {
  const review = new MachineReview(deciderAt);
  for (const item of recorded) review.take(item);
  return review.end();
}

/** The same, record by record: only the state and the newest group are kept, however long the record is. */
export class MachineReview<State, Input extends Event, Event extends { readonly kind: string }> {
  readonly #deciderAt: (order: number) => Decider<State, Input, Event>;
  readonly #told = { inputs: 0, decisions: 0, cutGroups: 0, otherInputs: 0 };
  readonly #decidedOtherwise: Divergence[] = [];
  #divergence: Divergence | undefined;
  #state: State | undefined;
  #deciders = DECIDERS;
  #open: OpenGroup<Event> | undefined;

  constructor(deciderAt: (order: number) => Decider<State, Input, Event>) {
    this.#deciderAt = deciderAt;
  }

  /** After the ended groups. */
  get state(): State | undefined {
    return this.#state;
  }

  take(item: Recorded<Event>): void {
    if (this.#divergence !== undefined) return;
    const open = this.#open;
    if (open !== undefined && !this.#deciderAt(item.order).isInput(item.event)) return void open.decisions.push(item);
    if (open !== undefined) this.#endGroup(open, item.epoch);
    this.#open = { input: item, decisions: [] };
  }

  /** @param isWhole  no crash cut off the end of the record: its writer went on with other work */
  end(isWhole = false): MachineReplay {
    const open = this.#open;
    this.#open = undefined;
    if (open !== undefined && this.#divergence === undefined)
      this.#endGroup(open, isWhole ? lastOf(open).epoch : undefined);
    return { ...this.#told, decidedOtherwise: this.#decidedOtherwise, divergence: this.#divergence };
  }

  /** @param nextEpoch  of the record after the group; undefined where the record ends */
  #endGroup(group: Group<Event>, nextEpoch: number | undefined): void {
    this.#deciders = decidersFrom(group.input.event) ?? this.#deciders;
    const isOwn = this.#deciders === DECIDERS;
    const decider = this.#deciderAt(group.input.order);
    const { decided, divergence, isCut } = compared(decider, this.#state, group, { isOwn, nextEpoch });
    this.#told.inputs += 1;
    this.#told.decisions += divergence === undefined ? group.decisions.length : equalDecisions(group, divergence);
    if (divergence !== undefined && isOwn) return void (this.#divergence = divergence);
    if (divergence !== undefined) this.#decidedOtherwise.push(divergence);
    if (isCut) this.#told.cutGroups += 1;
    if (!isOwn) this.#told.otherInputs += 1;
    const kept = isOwn && !isCut ? decided : [group.input, ...group.decisions].map(({ event }) => event);
    for (const event of kept) this.#state = decider.evolve(this.#state, event);
  }
}

function compared<State, Input extends Event, Event extends { readonly kind: string }>(
  decider: Decider<State, Input, Event>,
  state: State | undefined,
  group: Group<Event>,
  { isOwn, nextEpoch }: { readonly isOwn: boolean; readonly nextEpoch: number | undefined },
): { readonly decided: readonly Event[]; readonly divergence: Divergence | undefined; readonly isCut: boolean } {
  const { event } = group.input;
  const decided = isOwn ? decider.decide(state, event as Input) : triedAnew(decider, state, event);
  const divergence = compareGroup(group, decided);
  const isCut = divergence !== undefined && isCutOff(group, decided, nextEpoch);
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
  const groups: OpenGroup<Event>[] = [];
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
    const own = expected[index];
    const found = firstDifference(item?.event, own);
    if (found === undefined) continue;
    const { store, seq, event } = item ?? input;
    const decided = own === undefined ? {} : { decidedKind: own.kind };
    return { store, seq, kind: event.kind, ...decided, inputSeq: input.seq, ...found };
  }
  return undefined;
}

function isCutOff<Event>(group: Group<Event>, decided: readonly Event[], nextEpoch: number | undefined): boolean {
  const isPrefix =
    group.decisions.length + 1 < decided.length &&
    group.decisions.every((item, index) => firstDifference(item.event, decided[index + 1]) === undefined);
  return isPrefix && nextEpoch !== lastOf(group).epoch;
}

function lastOf<Event>({ input, decisions }: Group<Event>): Recorded<Event> {
  return decisions.at(-1) ?? input;
}

function equalDecisions<Event>(group: Group<Event>, divergence: Divergence): number {
  return group.decisions.filter((item) => item.seq < divergence.seq).length;
}
