/**
 * The Goal Gradient Solver (R7): decides how a run continues or ends after a round.
 *
 * I1  The only maker of `FinalResult`; its directive is Accept, Success or Abandon.
 * I2  Any sequence of failed rounds ends after at most `maxReplans` + 1 of them, whatever the weights and the validator say.
 * I3  Nothing overrules a success, and nothing unproven is called accepted.
 *
 * Source: artoo A.9, A.8, A.17.
 */
import { maxReplansOf } from '@retainer/contract/api/agent-control';
import { joinedOnce } from '@retainer/contract/std/said-once';
import type { BusPayload } from '@retainer/contract/wire/bus/envelope';
import type { SubTaskOutcome } from '@retainer/contract/wire/bus/payloads';
import { block, distinct } from './blocked.ts';
import { cellOf, directiveOf, signsOf, trendOf } from './decision-table.ts';
import type { TableDirective } from './decision-table.ts';
import { isNearEnough, successBar } from './distance.ts';
import { decideByEvidence } from './evidence/decide.ts';
import { ended, isProven } from './ended.ts';
import type { Steered } from './ended.ts';
import { steerPolicyBlock } from './end.ts';
import type { SteerExplanation } from './explanation.ts';
import { isFailed, isMet, judged, unmetOf } from './judged.ts';
import type { RoundResult } from './judged.ts';
import { decidingGradient, measureAccepted, measureFailed } from './measure.ts';
import { worseningRounds } from './steer-state.ts';
import { adviseParts, directiveFor, isEnd, withoutWithdrawn } from './by-parts.ts';
import { override } from './overrides.ts';
import { policyReasons, roundCause } from './cause.ts';
import { shownFailureClass } from './process.ts';
import { breakthroughMegrams, failureMegrams, terminalMegram } from './quantise.ts';
import { deliverable } from './salvage.ts';
import { keepSalvage, urgencyOf } from './urgency.ts';
import type { SteerContext, SteerState } from './steer-state.ts';
import { abandonSummary, rationale, successSummary, worthSentence } from './wording.ts';

/** Why an override ended the run, where the gap alone does not say so. */
function reasonFor({ override, evidence }: SteerExplanation): string | undefined {
  if (override === 'NoAdmissibleTool') return NO_TOOL_LEFT;
  return override === 'NotWorthIt' && evidence !== undefined ? worthSentence(evidence).replace(/\.$/, '') : undefined;
}

const NO_TOOL_LEFT = 'no admissible tool: every tool that is able to serve the task failed';

/** Steers after a round that failed, or whose result as a whole was refused. */
export function steerReplan(state: SteerState, request: BusPayload<'ReplanRequest'>, context: SteerContext): Steered {
  if (policyReasons(request).length > 0) return steerPolicyBlock(state, request, context);
  const explanation = decideByEvidence(state, request, context) ?? decideRound(state, request, context);
  switch (explanation.directive) {
    case 'Accept':
    case 'Success':
      return succeed(state, request, context, explanation);
    case 'Abandon':
      return abandon(state, request, context, explanation);
    case 'Retry':
    case 'Refine':
    case 'ChangePath':
    case 'ChangeApproach':
    case 'BreakSymmetry':
      return direct(state, request, context, { ...explanation, directive: explanation.directive });
  }
}

/**
 * Steers after the validator accepted the whole, without budget and table.
 *
 * Differs: an acceptance with a required criterion unproven is none; the round is steered as a failed one.
 */
export function steerAccept(state: SteerState, summary: BusPayload<'OutcomeSummary'>, context: SteerContext): Steered {
  if (!isProven(context, summary)) return steerReplan(state, refusedAcceptance(summary), context);
  const { control } = context;
  const measure = measureAccepted(state, summary.elapsedMs, context);
  const gradient = decidingGradient(measure, context);
  const trend = trendOf(gradient.value, control.thresholds.epsilon);
  const explanation: SteerExplanation = {
    occasion: 'Accepted',
    ...measure,
    gradient: gradient.name,
    trend,
    worsening: worseningRounds(state, trend),
    byTable: 'Accept',
    directive: 'Accept',
    blocked: { tools: [], targets: [] },
  };
  const megrams = [
    terminalMegram('Accept', summary.summary, summary.outcomes, context),
    ...breakthroughMegrams(state, summary.outcomes, control.profile),
  ];
  const { summary: text, output } = summary;
  return ended(
    state,
    { directive: 'Accept', result: summary, gap: '', summary: text, output, megrams, explanation },
    context,
  );
}

function refusedAcceptance({ outcomes, taskVerdicts, elapsedMs }: RoundResult): BusPayload<'ReplanRequest'> {
  return {
    gapSummary: 'accepted although not every required criterion is proven',
    failedSubtasks: outcomes.filter(isFailed).map((it) => it.subtaskId),
    corrections: 0,
    elapsedMs,
    outcomes: [...outcomes],
    taskVerdicts: [...taskVerdicts],
    recommendation: 'Replan',
  };
}

/** First the table, then the overrides. The explanation holds all their inputs. */
function decideRound(state: SteerState, request: BusPayload<'ReplanRequest'>, context: SteerContext): SteerExplanation {
  const { control, criteria } = context;
  const measure = measureFailed(state, state.rounds + 1, request, context);
  const gradient = decidingGradient(measure, context);
  const bySigns = signsOf({ ...measure.loss, gradient: gradient.value }, control.thresholds);
  const bar = bySigns.isNear ? successBar(criteria, request) : undefined;
  const isNear = bySigns.isNear && bar === undefined;
  const advised = adviseParts(context);
  // What is shown is kept, so a run that is near goes on to the rest, and delivers what is near only where it must end.
  const signs = { ...bySigns, isNear: isNear && advised === undefined };
  const byTable = directiveOf(signs);
  const worsening = worseningRounds(state, signs.trend);
  const { directive, name } = override(byTable, {
    isNear,
    isLastResort: advised !== undefined,
    deliverWhenClose: control.deliverWhenClose,
    worsening,
    worseningRoundsMax: control.worseningRoundsMax,
    recommendation: request.recommendation,
    rounds: measure.rounds,
    maxReplans: maxReplansOf(control),
    leavesNoTool: (it) => advised === undefined && blocking(state, it, request.outcomes, context).isNoToolLeft,
  });
  return {
    occasion: 'Round',
    ...measure,
    gradient: gradient.name,
    trend: signs.trend,
    worsening,
    cell: cellOf(signs),
    ...(bar === undefined ? {} : { successBar: bar }),
    byTable,
    ...(name === undefined ? {} : { override: name }),
    ...(advised === undefined || isEnd(directive)
      ? { directive, blocked: blocking(state, directive, request.outcomes, context).blocked }
      : advised),
  };
}

function blocking(
  state: SteerState,
  directive: SteerExplanation['directive'],
  outcomes: readonly SubTaskOutcome[],
  { control, candidateTools, given }: SteerContext,
): ReturnType<typeof block> {
  return block(state, directive, outcomes, {
    candidateTools,
    accumulate: control.accumulateBlockedTools,
    given,
  });
}

type ActionDirective = Exclude<TableDirective, 'Success' | 'Abandon'>;

/** The run continues: makes the directive for the next plan, and the memories of this one. */
function direct(
  state: SteerState,
  request: BusPayload<'ReplanRequest'>,
  context: SteerContext,
  explanation: SteerExplanation & { readonly directive: ActionDirective },
): Steered {
  const { profile } = context.control;
  const { outcomes } = request;
  const { directive, loss, gradL, gradQ, rounds, worsening, blocked, parts } = explanation;
  const urgency = urgencyOf(context.control, explanation.trend);
  const salvaged = keepSalvage(state, outcomes, { profile, round: rounds, urgency });
  const kept = withoutWithdrawn(salvaged.kept, context);
  const handed = withoutWithdrawn(salvaged.handed, context);
  const payload: BusPayload<'PlanDirective'> = {
    directive,
    ...(parts === undefined ? {} : { parts }),
    previous: state.previous,
    loss,
    gradL,
    gradQ,
    blocked,
    failedCriterion: parts?.[0]?.criteria[0] ?? failedCriterion(request, context),
    failureClass: shownFailureClass(loss.p),
    budgetPressure: loss.omega,
    ...(urgency === undefined ? {} : { urgency }),
    salvage: handed,
    rationale: rationale(explanation, request.gapSummary),
  };
  return {
    state: {
      ...state,
      ...(parts === undefined ? blocking(state, directive, outcomes, context).next : {}),
      previous: directive,
      rounds,
      worsening,
      lPrevious: loss.l,
      qPrevious: loss.q,
      triedTools: distinct([...state.triedTools, ...outcomes.flatMap((it) => it.calls.map((call) => call.tool))]),
      salvage: kept,
      ...(context.control.urgency ? { isSalvageHanded: handed.length > 0 } : {}),
    },
    message: { type: 'PlanDirective', payload },
    megrams: outcomes.flatMap((it) => failureMegrams(directiveFor(it, parts) ?? directive, [it], profile)),
    explanation,
  };
}

/**
 * First unmet criterion of the last attempt of the first failed subtask.
 *
 * Source: artoo A.9. Differs: where no subtask failed, the first unmet criterion of the whole; the source then says nothing.
 */
function failedCriterion({ outcomes, taskVerdicts }: RoundResult, { criteria }: SteerContext): string {
  const failed = outcomes.find(isFailed);
  if (failed === undefined) return judged(criteria, taskVerdicts).find((it) => !isMet(it))?.criterion.text ?? '';
  const last = failed.trajectory.at(-1)?.unmet[0];
  return (last === undefined ? unmetOf(failed)[0] : failed.criteria[last - 1]?.text) ?? '';
}

/** Near enough: the matched outputs are the result. */
function succeed(
  state: SteerState,
  request: BusPayload<'ReplanRequest'>,
  context: SteerContext,
  explanation: SteerExplanation,
): Steered {
  const { profile } = context.control;
  const { outcomes, gapSummary } = request;
  const summary = successSummary(outcomes, explanation, gapSummary);
  const megrams = [
    terminalMegram('Success', summary, outcomes, context),
    ...breakthroughMegrams(state, outcomes, profile),
  ];
  const output = deliverable(profile, outcomes, state);
  return ended(
    state,
    { directive: 'Success', result: request, gap: gapSummary, summary, output, megrams, explanation },
    context,
  );
}

/** Abandoned by the table or by an override. */
function abandon(
  state: SteerState,
  request: BusPayload<'ReplanRequest'>,
  context: SteerContext,
  explanation: SteerExplanation,
): Steered {
  const { control } = context;
  const { outcomes } = request;
  const cause = roundCause(explanation, request, context);
  const isNear = isNearEnough(explanation.loss.d, request, context);
  const gap = joinedOnce([reasonFor(explanation), request.gapSummary].filter((it) => it !== undefined));
  const { occasion, override } = explanation;
  const end = { cause, occasion, ...(override === undefined ? {} : { override }), outcomes, gap, soFar: context.soFar };
  const summary = abandonSummary(end, isNear);
  // A failed machine says nothing about an approach. Source: artoo A.6.
  const megrams = cause === 'Infrastructure' ? [] : [terminalMegram('Abandon', gap, outcomes, context)];
  const output = deliverable(control.profile, outcomes, state);
  return ended(
    state,
    { directive: 'Abandon', cause, result: request, gap, summary, output, megrams, explanation },
    context,
  );
}
