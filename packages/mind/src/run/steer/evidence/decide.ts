/**
 * Profile `Evidence`: how a run goes on or ends after a failed round, by what its record makes probable.
 *
 * I1  A function of the recorded messages and the settings: nothing is carried from one decision to the next.
 * I2  A run goes on while its chance, times what an acceptance is worth, is at least what going on costs.
 *
 * Source: design 5 (steering by evidence, formulas 3 to 6)
 */
import { maxReplansOf } from '@retainer/contract/api/agent-control';
import type { BusPayload } from '@retainer/contract/wire/bus/envelope';
import { advised, toGoOn } from '../by-parts.ts';
import { trendOf } from '../decision-table.ts';
import { isNearEnough, successBar } from '../distance.ts';
import type { SteerExplanation } from '../explanation.ts';
import { decidingGradient, measureFailed, type Measure } from '../measure.ts';
import type { OverrideName } from '../overrides.ts';
import type { Part, RunHistory, Use } from '../parts.ts';
import { worseningRounds, type SteerContext, type SteerState } from '../steer-state.ts';
import { isAbove } from '../threshold.ts';
import { trialsOf } from '../trials.ts';
import { adviseByEvidence, knownOf, rounded, type Terms } from './advice.ts';
import { lookAhead, type Costs, type Left, type Outlook } from './outlook.ts';

/** Rounds in a row without a call that says anything of an open part: as many as the other profiles have plans. */
const SILENT_ROUNDS_MAX = 3;

/** A later round has fewer open parts than those before had. */
const LATER_ROUND_SHARE = 0.5;

type ReplanRequest = BusPayload<'ReplanRequest'>;

/** @returns undefined in other profiles, and if nothing is known of the parts */
export function decideByEvidence(
  state: SteerState,
  request: ReplanRequest,
  context: SteerContext,
): SteerExplanation | undefined {
  const { control, history } = context;
  if (control.profile !== 'Evidence' || history === undefined) return undefined;
  const parts = toGoOn(history);
  const terms = termsOf(history, parts.length, context);
  const advice = advised(parts.map((it) => adviseByEvidence(it, history, terms)));
  if (advice === undefined) return undefined;
  const measure = measureFailed(state, state.rounds + 1, request, context);
  const outlook = outlookOf(parts, history, { terms, measure, elapsedMs: request.elapsedMs }, context);
  const why = endOf(parts, history, { request, measure, outlook }, context);
  const bar = successBar(context.criteria, request);
  const isNear = isNearEnough(measure.loss.d, request, context);
  const gradient = decidingGradient(measure, context);
  const trend = trendOf(gradient.value, control.thresholds.epsilon);
  const worth = worthOf(context);
  return {
    occasion: 'Round',
    ...measure,
    gradient: gradient.name,
    trend,
    worsening: worseningRounds(state, trend),
    ...(bar === undefined ? {} : { successBar: bar }),
    byTable: advice.directive,
    evidence: {
      chance: rounded(outlook.chance),
      tokens: Math.round(outlook.tokens),
      ...(worth === undefined ? {} : { worth }),
    },
    ...(why === undefined
      ? advice
      : {
          parts: advice.parts,
          override: isNear ? 'DeliverWhenClose' : why,
          directive: isNear ? 'Success' : 'Abandon',
          blocked: { tools: [], targets: [] },
        }),
  };
}

interface Round {
  readonly request: ReplanRequest;
  readonly measure: Measure;
  readonly outlook: Outlook;
}

/** Why the run ends here; undefined while it goes on. */
function endOf(
  parts: readonly Part[],
  history: RunHistory,
  { request, measure, outlook }: Round,
  context: SteerContext,
): OverrideName | undefined {
  if (request.recommendation === 'Abandon') return 'AbandonRecommended';
  if (measure.rounds > maxReplansOf(context.control)) return 'ReplansUsedUp';
  if (isSilent(parts, history)) return 'NothingTried';
  const worth = worthOf(context);
  return worth !== undefined && isAbove(outlook.tokens, outlook.chance * worth) ? 'NotWorthIt' : undefined;
}

/** The newest rounds brought no call that says anything. */
function isSilent(parts: readonly Part[], { steps }: RunHistory): boolean {
  const newest = Math.max(...steps.map((it) => it.round));
  if (newest < SILENT_ROUNDS_MAX) return false;
  const recent = steps.filter((it) => it.round > newest - SILENT_ROUNDS_MAX);
  return parts.every(
    (part) => trialsOf({ ...part, steps: part.steps.filter((it) => recent.includes(it)) }).length === 0,
  );
}

/** What one acceptance is worth, in tokens. */
function worthOf({ control, tokens }: SteerContext): number | undefined {
  return tokens === undefined ? undefined : control.evidence.worthBudgets * tokens.budget;
}

function termsOf({ used }: RunHistory, open: number, { control, candidateTools, given }: SteerContext): Terms {
  const { plan, attempt } = costsOf(used);
  return {
    prices: { planShare: plan / Math.max(1, open), attempt },
    tolerance: control.evidence.tolerance,
    attemptsMax: 1 + control.fastLoop.maxRetries,
    toolsCount: candidateTools.length,
    given,
  };
}

/** Means of this run. What it has not done yet costs as much as the likest thing that it has. */
function costsOf({ plan, attempt, merge }: RunHistory['used']): Costs {
  const ofAttempt = mean(attempt) ?? 0;
  const ofPlan = mean(plan) ?? ofAttempt;
  return { attempt: ofAttempt, plan: ofPlan, merge: mean(merge) ?? ofPlan };
}

function mean({ tokens, times }: Use): number | undefined {
  return times === 0 ? undefined : tokens / times;
}

interface Present {
  readonly terms: Terms;
  readonly measure: Measure;
  readonly elapsedMs: number;
}

function outlookOf(
  parts: readonly Part[],
  history: RunHistory,
  { terms, measure, elapsedMs }: Present,
  { control, tokens }: SteerContext,
): Outlook {
  const replans = maxReplansOf(control) - measure.rounds + 1;
  const roundMs = (elapsedMs / Math.max(1, measure.rounds)) * LATER_ROUND_SHARE;
  const inTime = roundMs > 0 ? Math.floor(Math.max(0, history.leftMs) / roundMs) : replans;
  const left: Left = {
    rounds: Math.max(0, Math.min(replans, inTime)),
    ...(tokens === undefined ? {} : { tokens: tokens.budget - tokens.used }),
  };
  const known = parts.map((it) => knownOf(it, history, terms));
  return lookAhead(known, costsOf(history.used), left, terms.attemptsMax);
}
