/**
 * How the agent is: five dimensions computed from twelve counts and shares of its work. It is told to the agent and to people, and
 * nothing decides by it: no gate, no budget and no choice of a model.
 *
 * Source: springdrift 4 (formulas), 17. Differs: the trend of the first measurement compares with the pressure that the formula gives for
 * the baseline, so that a clean first cycle is no rise.
 */
import { z } from 'zod';

/** What a measurement is computed from. Counts are of the cycle, or of the run at its end, unless they say otherwise. */
export const AffectSignals = z.object({
  /** Calls that ran. */
  toolCalls: z.number(),
  toolFailures: z.number(),
  /** Failed calls of a tool that had failed before. */
  retries: z.number(),
  /** Inputs and calls that a gate rejected. */
  gateRejections: z.number(),
  /** Texts and calls that a gate demanded to be changed. */
  gateModifications: z.number(),
  /** Outgoing texts of all cycles, up to now. */
  outputRejectionsInRow: z.number(),
  /** Attempts and runs, up to now. */
  failuresInRow: z.number(),
  /** Cycles of specialists, in this run. */
  delegations: z.number(),
  delegationFailures: z.number(),
  /** Share of the newest runs that reached their goal, 0 to 1. */
  successRate: z.number(),
  /** Share of the newest questions to memory that it knew something about, 0 to 1. */
  recallRate: z.number(),
  /** Share of its tokens that the cycle used, 0 to 1. */
  budgetPressure: z.number(),
});
export type AffectSignals = Readonly<z.infer<typeof AffectSignals>>;

export const AFFECT_TRENDS = ['Rising', 'Falling', 'Stable'] as const;

/** In the order in which they are told. */
export const AFFECT_DIMENSIONS = ['desperation', 'calm', 'confidence', 'frustration', 'pressure'] as const;

/** Each dimension is 0 to 100. */
export const Affect = z.object({
  desperation: z.number(),
  calm: z.number(),
  confidence: z.number(),
  frustration: z.number(),
  pressure: z.number(),
  /** Of the pressure, since the measurement before. */
  trend: z.enum(AFFECT_TRENDS),
});
export type Affect = Readonly<z.infer<typeof Affect>>;

/** Before the first measurement. */
export const AFFECT_BASELINE: Affect = {
  desperation: 0,
  calm: 75,
  confidence: 60,
  frustration: 0,
  pressure: 0,
  trend: 'Stable',
};

/** Percent by count, from 0 on; the last entry holds for all higher counts. */
const BY_RETRIES = [0, 20, 40, 60] as const;
const BY_GATE_REJECTIONS = [0, 15, 30] as const;
const BY_OUTPUT_REJECTIONS = [0, 30, 55, 80] as const;

/** More failures in a row do not make it more desperate. */
const FAILURES_IN_ROW_MAX = 5;

/** Calm moves slowly: this part of a measurement comes from the newest cycle. */
const CALM_ALPHA = 0.15;
const CALM_TARGET = 85;
const CALM_TARGET_MIN = 10;

/** Percent of confidence in its tools of a cycle that called none. */
const CONFIDENCE_WITHOUT_CALLS = 10;

/** A change of the pressure, in percent, that counts as a trend. */
const TREND_MIN = 5;

export function measureAffect(signals: AffectSignals, before: Affect = AFFECT_BASELINE): Affect {
  const toolFailureRate = share(signals.toolFailures, signals.toolCalls);
  const felt = {
    desperation: desperationOf(signals, toolFailureRate),
    calm: CALM_ALPHA * calmTarget(signals) + (1 - CALM_ALPHA) * before.calm,
    confidence: confidenceOf(signals, toolFailureRate),
    frustration: frustrationOf(signals, toolFailureRate),
  };
  const pressure = pressureOf(felt);
  const change = pressure - pressureOf(before);
  const trend = change > TREND_MIN ? 'Rising' : change < -TREND_MIN ? 'Falling' : 'Stable';
  return { ...felt, pressure, trend };
}

function desperationOf(signals: AffectSignals, toolFailureRate: number): number {
  return percent(
    step(BY_RETRIES, signals.retries) +
      step(BY_GATE_REJECTIONS, signals.gateRejections) +
      10 * Math.min(signals.failuresInRow, FAILURES_IN_ROW_MAX) +
      40 * toolFailureRate +
      step(BY_OUTPUT_REJECTIONS, signals.outputRejectionsInRow),
  );
}

function calmTarget(signals: AffectSignals): number {
  const failures = signals.toolFailures + signals.delegationFailures;
  const rejections = signals.gateRejections + signals.outputRejectionsInRow;
  return Math.max(CALM_TARGET_MIN, CALM_TARGET - 15 * failures - 20 * rejections);
}

function confidenceOf({ recallRate, successRate, toolCalls }: AffectSignals, toolFailureRate: number): number {
  const inTools = toolCalls === 0 ? CONFIDENCE_WITHOUT_CALLS : 20 * (1 - toolFailureRate);
  return percent(40 * recallRate + 40 * successRate + inTools);
}

function frustrationOf(signals: AffectSignals, toolFailureRate: number): number {
  const delegationFailureRate = share(signals.delegationFailures, signals.delegations);
  return percent(
    50 * toolFailureRate + 15 * signals.gateModifications + 30 * delegationFailureRate + 20 * signals.budgetPressure,
  );
}

function pressureOf({ desperation, frustration, confidence, calm }: Omit<Affect, 'pressure' | 'trend'>): number {
  return percent(0.45 * desperation + 0.25 * frustration + 0.15 * (100 - confidence) + 0.15 * (100 - calm));
}

function step(percentByCount: readonly number[], count: number): number {
  return percentByCount[Math.min(count, percentByCount.length - 1)] ?? 0;
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

function percent(value: number): number {
  return Math.min(100, Math.max(0, value));
}
