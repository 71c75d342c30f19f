/**
 * Decides one recorded cycle again, record by record, and reports where the record differs: in a verdict, in a tool call that
 * needs a
 * verdict, or in the text that left through the output gate.
 *
 * I1  The state follows the decisions made here, never a recorded one: a tampered record cannot explain itself.
 * I2  Only the cycle's state and the newest group are kept, however long the record is.
 * I3  A group that a crash cut off is no fault when another writer continued the record after it.
 * I4  What other rules decided is compared, but the state then follows the record, so that later decisions can be compared, too.
 *
 * Differs from `replay-machine.ts`: prompts are not compared, so that a program with other prompts judges the same verdicts.
 *
 * Source: design 5.
 */
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import type { CycleEvent, CycleInput } from '../cycle/event.ts';
import type { CycleState } from '../cycle/state.ts';
import { triedAnew, type Decider, type Recorded } from './replay-machine.ts';

export type CycleDecider = Decider<CycleState, CycleInput, CycleEvent>;

/** The events that are compared with the record. */
export type ReviewedEvent = Extract<CycleEvent, { kind: 'GateDecided' | 'ToolRequested' | 'CycleEnded' }>;

const faultKinds = {
  GateDecided: 'VerdictMismatch',
  ToolRequested: 'UngatedEffect',
  CycleEnded: 'UngatedReply',
} as const satisfies Readonly<Record<ReviewedEvent['kind'], string>>;

export interface ReviewFault {
  readonly kind: (typeof faultKinds)[ReviewedEvent['kind']];
  /** False: other rules or deciders recorded it, which explains the difference. */
  readonly isOwn: boolean;
  /** Of the record; of the last one before it when one is missing. */
  readonly seq: number;
  /** Absent: the record lacks the decision. */
  readonly recorded?: ReviewedEvent;
  /** Absent: the record has a decision that was not made here. */
  readonly decided?: ReviewedEvent;
}

interface OpenGroup {
  readonly decider: CycleDecider;
  /** Of a program with the same rules and deciders. */
  readonly isOwn: boolean;
  readonly decided: readonly CycleEvent[];
  readonly judged: readonly ReviewedEvent[];
  /** Recorded decisions of any kind, and the input before them. */
  readonly recorded: CycleEvent[];
  /** How many of `judged` the record holds. */
  found: number;
  lastSeq: number;
  epoch: number;
}

export class CycleReview {
  #state: CycleState | undefined;
  #group: OpenGroup | undefined;
  /** Verified verdicts of gates. */
  verdicts = 0;

  /**
   * Takes the next record of the cycle. The first record is its first input.
   *
   * @param decider  as it was configured when the record was written
   * @param isOwn    the program that wrote it had these rules and deciders
   * @returns a fault; after the first one of its own rules the review is invalid
   */
  take(item: Recorded<CycleEvent>, decider: CycleDecider, isOwn = true): ReviewFault | undefined {
    if (decider.isInput(item.event)) {
      const missing = this.close(item.epoch);
      if (missing?.isOwn !== true) this.#begin(item, decider, isOwn);
      return missing;
    }
    const group = this.#group;
    if (group === undefined) return undefined;
    group.recorded.push(item.event);
    group.lastSeq = item.seq;
    group.epoch = item.epoch;
    return isJudged(item.event) ? this.#judge(group, item.event, item.seq) : undefined;
  }

  /**
   * Ends the newest group.
   *
   * @param nextEpoch  of the record after it; the same writer leaves no group unfinished
   * @returns the first decision that the record lacks
   */
  close(nextEpoch: number): ReviewFault | undefined {
    const group = this.#group;
    if (group === undefined) return undefined;
    this.#group = undefined;
    const missing = group.judged[group.found];
    const isCut = missing !== undefined && nextEpoch !== group.epoch;
    this.#follow(group, isCut);
    if (missing !== undefined && !isCut)
      return { kind: faultKinds[missing.kind], isOwn: group.isOwn, seq: group.lastSeq, decided: missing };
    return undefined;
  }

  #follow({ decider, isOwn, decided, recorded }: OpenGroup, isCut: boolean): void {
    const own = isCut ? decided.slice(0, recorded.length) : decided;
    for (const event of isOwn ? own : recorded) this.#state = decider.evolve(this.#state, event);
  }

  #begin({ event, seq, epoch }: Recorded<CycleEvent>, decider: CycleDecider, isOwn: boolean): void {
    const decided = isOwn ? decider.decide(this.#state, event as CycleInput) : triedAnew(decider, this.#state, event);
    const judged = decided.filter(isJudged);
    this.#group = { decider, isOwn, decided, judged, recorded: [event], found: 0, lastSeq: seq, epoch };
  }

  #judge(group: OpenGroup, recorded: ReviewedEvent, seq: number): ReviewFault | undefined {
    const decided = group.judged[group.found];
    group.found += 1;
    if (decided !== undefined && isSame(recorded, decided)) {
      if (recorded.kind === 'GateDecided') this.verdicts += 1;
      return undefined;
    }
    const kind = faultKinds[recorded.kind];
    return { kind, isOwn: group.isOwn, seq, recorded, ...(decided?.kind === recorded.kind ? { decided } : {}) };
  }
}

function isJudged(event: CycleEvent): event is ReviewedEvent {
  return event.kind in faultKinds;
}

function isSame(recorded: ReviewedEvent, decided: ReviewedEvent): boolean {
  return canonicalJson(whatCounts(recorded)) === canonicalJson(whatCounts(decided));
}

/** Of an end, only the part that may leave the agent. Another version may word the reason of a stop differently. */
function whatCounts(event: ReviewedEvent): unknown {
  if (event.kind !== 'CycleEnded') return event;
  const { kind, outcome, text, value } = event;
  return { kind, isReply: outcome === 'Replied', text, ...(value === undefined ? {} : { value }) };
}
