/**
 * The one way in which a run ends: its result, its memory, and the cause.
 *
 * Source: artoo A.9 (FinalResult; what there is, is delivered), A.10, A.17, A.8 (`unmet`).
 */
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import type { BusPayload } from '@retainer/contract/wire/bus/envelope';
import type { SteerExplanation } from './explanation.ts';
import { isMet, judged, unmetTexts, withVerdictsOfOnlyStep } from './judged.ts';
import type { RoundResult } from './judged.ts';
import type { AbandonCause } from './last-words.ts';
import type { MegramDraft } from './quantise.ts';
import type { SteerContext, SteerState } from './steer-state.ts';

/** The steerer's answer to one message. */
export interface Steered {
  readonly state: SteerState;
  readonly message:
    | { readonly type: 'PlanDirective'; readonly payload: BusPayload<'PlanDirective'> }
    | { readonly type: 'FinalResult'; readonly payload: BusPayload<'FinalResult'> };
  /** For one `MemoryWrite`; the caller adds ids and time. Empty: nothing to write. */
  readonly megrams: readonly MegramDraft[];
  readonly explanation: SteerExplanation;
}

export type EndDirective = 'Accept' | 'Success' | 'Abandon';

export interface Ending {
  readonly directive: EndDirective;
  readonly cause?: AbandonCause;
  readonly result: RoundResult;
  /** What kept the run from its goal; empty when nothing did. */
  readonly gap: string;
  readonly summary: string;
  readonly output: string;
  readonly megrams: readonly MegramDraft[];
  readonly explanation: SteerExplanation;
}

/** Most characters of a gap in the reason of a criterion: the limit of a status. */
const GAP_CHARACTERS_MAX = 480;

/** Before the reason for which nobody judged a criterion. */
export const NOT_JUDGED = 'not judged: ';

/** @param state  before the message that ends the run */
export function ended(state: SteerState, ending: Ending, { criteria, intent }: SteerContext): Steered {
  const { directive, cause, gap, summary, output, megrams, explanation } = ending;
  const result = withVerdictsOfOnlyStep(criteria, ending.result);
  const { loss, gradL, gradQ, rounds, worsening } = explanation;
  const isFast = explanation.occasion === 'FastReply';
  const unmet = isFast ? [] : unmetTexts(criteria, result);
  const payload: BusPayload<'FinalResult'> = {
    directive,
    previous: state.previous,
    ...(cause === undefined ? {} : { cause }),
    summary,
    output,
    partial: directive === 'Abandon' || (directive === 'Success' && unmet.length > 0),
    loss,
    gradL,
    gradQ,
    // Each failed round before this one led to a new plan.
    replans: state.rounds,
    taskVerdicts: isFast ? [] : judged(criteria, result.taskVerdicts, whyUnjudged(gap)).map((it) => it.verdict),
    unmet: directive === 'Abandon' && unmet.length === 0 ? [intent] : unmet,
    fastPath: isFast,
  };
  return {
    state: { ...state, previous: directive, rounds, worsening, lPrevious: loss.l, qPrevious: loss.q },
    message: { type: 'FinalResult', payload },
    megrams,
    explanation,
  };
}

function whyUnjudged(gap: string): string | undefined {
  return gap === '' ? undefined : `${NOT_JUDGED}${headAndTail(gap, GAP_CHARACTERS_MAX)}`;
}

/** Whether the result may be called accepted: every required criterion was judged and met, and no subtask failed. */
export function isProven({ criteria }: SteerContext, result: RoundResult): boolean {
  const open = judged(criteria, result.taskVerdicts).filter((it) => !isMet(it));
  return !open.some((it) => it.criterion.required) && result.outcomes.every((it) => it.status === 'Matched');
}
