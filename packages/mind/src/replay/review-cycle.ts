/**
 * Decides one recorded cycle again, record by record, and reports where the record differs: in a verdict, in a tool call that
 * needs a
 * verdict, or in the text that left through the output gate.
 *
 * I1  The state follows the decisions made here, never a recorded one: a tampered record cannot explain itself.
 * I2  Only the cycle's state and the newest group are kept, however long the record is.
 * I3  A group that a crash cut off is no fault when another writer continued the record after it.
 *
 * Differs from `replay-machine.ts`: prompts are not compared, so that a program with other prompts judges the same verdicts.
 *
 * Source: design 5.
 */
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import type { CycleEvent, CycleInput } from '../cycle/event.ts';
import type { CycleState } from '../cycle/state.ts';
import type { Decider, Recorded } from './replay-machine.ts';

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
  /** Of the record; of the last one before it when one is missing. */
  readonly seq: number;
  /** Absent: the record lacks the decision. */
  readonly recorded?: ReviewedEvent;
  /** Absent: the record has a decision that was not made here. */
  readonly decided?: ReviewedEvent;
}

interface OpenGroup {
  readonly decider: CycleDecider;
  readonly decided: readonly CycleEvent[];
  readonly judged: readonly ReviewedEvent[];
  /** Recorded decisions of any kind. */
  recorded: number;
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
   * @returns the first fault; the review is invalid after it
   */
  take(item: Recorded<CycleEvent>, decider: CycleDecider): ReviewFault | undefined {
    if (decider.isInput(item.event)) {
      const missing = this.close(item.epoch);
      if (missing === undefined) this.#begin(item.event, item, decider);
      return missing;
    }
    const group = this.#group;
    if (group === undefined) return undefined;
    group.recorded += 1;
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
    if (missing !== undefined && !isCut)
      return { kind: faultKinds[missing.kind], seq: group.lastSeq, decided: missing };
    const kept = isCut ? group.decided.slice(0, group.recorded + 1) : group.decided;
    for (const event of kept) this.#state = group.decider.evolve(this.#state, event);
    return undefined;
  }

  #begin(input: CycleInput, { seq, epoch }: Recorded<CycleEvent>, decider: CycleDecider): void {
    const decided = decider.decide(this.#state, input);
    this.#group = { decider, decided, judged: decided.filter(isJudged), recorded: 0, found: 0, lastSeq: seq, epoch };
  }

  #judge(group: OpenGroup, recorded: ReviewedEvent, seq: number): ReviewFault | undefined {
    const decided = group.judged[group.found];
    group.found += 1;
    if (decided !== undefined && isSame(recorded, decided)) {
      if (recorded.kind === 'GateDecided') this.verdicts += 1;
      return undefined;
    }
    const kind = faultKinds[recorded.kind];
    return { kind, seq, recorded, ...(decided?.kind === recorded.kind ? { decided } : {}) };
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
