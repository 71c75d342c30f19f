/**
 * Ends without the table: a refusal, the clock, a person, a failed plan, and the direct answer.
 *
 * Source: artoo A.2 (abort; deadline), A.3 (direct answer, failed perception), A.4, A.6.
 */
import type { BusPayload } from '@retainer/contract/wire/bus/envelope';
import type { FailureClass } from '@retainer/contract/api/task-status';
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import { joinedOnce } from '@retainer/contract/std/said-once';
import { policyReasons } from './cause.ts';
import { trendOf } from './decision-table.ts';
import { isNearEnough } from './distance.ts';
import { ended, NOT_JUDGED } from './ended.ts';
import type { Steered } from './ended.ts';
import type { SteerExplanation } from './explanation.ts';
import type { RoundResult } from './judged.ts';
import type { AbandonCause } from './last-words.ts';
import { decidingGradient, measureAccepted, measureFailed } from './measure.ts';
import { terminalMegram } from './quantise.ts';
import { deliverable } from './salvage.ts';
import { initialSteerState } from './steer-state.ts';
import type { SteerContext, SteerState } from './steer-state.ts';
import { abandonSummary } from './wording.ts';

type Occasion = Exclude<SteerExplanation['occasion'], 'Round' | 'Accepted' | 'FastReply'>;

/** Characters of a direct answer in the summary; the output holds all of it. */
const SUMMARY_CHARACTERS_MAX = 1000;

/** Whether the end counts as a failed round in Ω. A person who stops a run, or an input that was not understood, does not. */
const failsRound: Readonly<Record<Occasion, boolean>> = {
  PolicyBlock: true,
  Deadline: true,
  BudgetUsedUp: false,
  PlanFailure: true,
  Aborted: false,
  PerceptionFailure: false,
};

/** What such an end teaches about the task. A person's decision, a broken machine and a missing intent teach nothing. */
const remembered: Readonly<Record<AbandonCause, 'Abandon' | 'PolicyBlock' | undefined>> = {
  Policy: 'PolicyBlock',
  Deadline: 'Abandon',
  Planning: 'Abandon',
  Budget: 'Abandon',
  Worsening: 'Abandon',
  Replans: 'Abandon',
  Distance: 'Abandon',
  Infrastructure: undefined,
  Aborted: undefined,
};

/** Nobody looks for a way around a refusal. */
export function steerPolicyBlock(state: SteerState, result: RoundResult, context: SteerContext): Steered {
  const gap = joinedOnce(withoutRepetitions(policyReasons(result)));
  return endBy(state, { occasion: 'PolicyBlock', cause: 'Policy', gap, result }, context);
}

/** A criterion that was not judged repeats the reason of its subtask. */
function withoutRepetitions(reasons: readonly string[]): readonly string[] {
  const all = new Set(reasons);
  return [...all].filter((it) => !it.startsWith(NOT_JUDGED) || !all.has(it.slice(NOT_JUDGED.length)));
}

/** The run has asked people too often. @param known  outcomes that had arrived by then */
export function steerBreaker(state: SteerState, known: RoundResult, gap: string, context: SteerContext): Steered {
  return endBy(state, { occasion: 'PolicyBlock', cause: 'Policy', gap, result: known }, context);
}

/** @param known  outcomes that had arrived when the time was over */
export function steerDeadline(state: SteerState, known: RoundResult, context: SteerContext): Steered {
  return endBy(state, { occasion: 'Deadline', cause: 'Deadline', gap: 'the time is over', result: known }, context);
}

/**
 * A budget of the agent for this hour or day is used up, so no plan of the run can help. This teaches nothing about the task.
 *
 * @param known  outcomes that had arrived by then
 * Source: reliability-security 4
 */
export function steerBudget(state: SteerState, reason: string, known: RoundResult, context: SteerContext): Steered {
  const end = { occasion: 'BudgetUsedUp', cause: 'Budget', gap: reason, result: known } as const;
  return { ...endBy(state, end, context), megrams: [] };
}

/** @param known  outcomes that had arrived when the run was stopped */
export function steerAbort(
  state: SteerState,
  abort: BusPayload<'TaskAbort'>,
  known: RoundResult,
  context: SteerContext,
): Steered {
  const gap = `stopped by ${abort.by}: ${abort.reason}`;
  return endBy(state, { occasion: 'Aborted', cause: 'Aborted', gap, result: known }, context);
}

/** @param elapsedMs  since the first plan of the run, or 0 if there was none */
export function steerPlanFailure(
  state: SteerState,
  failure: BusPayload<'PlanFailure'>,
  elapsedMs: number,
  context: SteerContext,
): Steered {
  const cause = failureCauses[failure.failureClass];
  return endBy(state, { occasion: 'PlanFailure', cause, gap: failure.reason, result: nothing(elapsedMs) }, context);
}

/** The input was not understood: there is no plan, and no intent to remember the run by. */
export function steerPerceptionFailure(failure: BusPayload<'PerceptionFailure'>, context: SteerContext): Steered {
  const cause = failureCauses[failure.failureClass];
  const end = { occasion: 'PerceptionFailure', cause, gap: failure.reason, result: nothing(0) } as const;
  return { ...endBy(initialSteerState, end, context), megrams: [] };
}

/** A direct answer: no plan, nothing to prove, nothing to remember. */
export function fastReply({ reply }: BusPayload<'FastReply'>, elapsedMs: number, context: SteerContext): Steered {
  const explanation: SteerExplanation = {
    occasion: 'FastReply',
    ...measureAccepted(initialSteerState, elapsedMs, context),
    gradient: context.control.profile === 'Spec' ? 'L' : 'Q',
    trend: 'Plateau',
    worsening: 0,
    byTable: 'Accept',
    directive: 'Accept',
    blocked: { tools: [], targets: [] },
  };
  const summary = headAndTail(reply, SUMMARY_CHARACTERS_MAX);
  const result = nothing(elapsedMs);
  return ended(
    initialSteerState,
    { directive: 'Accept', result, gap: '', summary, output: reply, megrams: [], explanation },
    context,
  );
}

interface End {
  readonly occasion: Occasion;
  readonly cause: AbandonCause;
  readonly gap: string;
  readonly result: RoundResult;
}

function endBy(state: SteerState, { occasion, cause, gap, result }: End, context: SteerContext): Steered {
  const { control } = context;
  const measure = measureFailed(state, state.rounds + (failsRound[occasion] ? 1 : 0), result, context);
  const explanation: SteerExplanation = {
    occasion,
    ...measure,
    gradient: decidingGradient(measure, context).name,
    trend: trendOf(decidingGradient(measure, context).value, control.thresholds.epsilon),
    worsening: state.worsening,
    byTable: 'Abandon',
    directive: 'Abandon',
    blocked: { tools: [], targets: [] },
  };
  const memory = remembered[cause];
  const isNear = cause === 'Deadline' && isNearEnough(measure.loss.d, result, context);
  return ended(
    state,
    {
      directive: 'Abandon',
      cause,
      result,
      gap,
      summary: abandonSummary({ cause, occasion, outcomes: result.outcomes, gap, soFar: context.soFar }, isNear),
      output: deliverable(control.profile, result.outcomes, state),
      megrams: memory === undefined ? [] : [terminalMegram(memory, gap, result.outcomes, context)],
      explanation,
    },
    context,
  );
}

function nothing(elapsedMs: number): RoundResult {
  return { outcomes: [], taskVerdicts: [], elapsedMs };
}

/** Without a plan, only a used-up budget is a cause in the environment. */
const failureCauses: Readonly<Record<FailureClass, AbandonCause>> = {
  Policy: 'Policy',
  Infrastructure: 'Infrastructure',
  Environmental: 'Budget',
  Logical: 'Planning',
  Unverified: 'Planning',
};
