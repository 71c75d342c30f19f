/**
 * Judges forecasts: each policy applies its own thresholds, and the strictest verdict wins.
 *
 * I1  A missing, doubled or unknown feature, or a magnitude off the scale, makes all forecasts unusable; none counts as 0.
 * I2  An additional policy never makes the verdict milder.
 *
 * Source: springdrift 2 (reactive, then deliberative; here both from one scoring of the actual call).
 */
import type { GateFeature } from '@retainer/contract/api/gate-policy';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { discrepancyOf, MAGNITUDE_MAX, type Finding, type Scale } from '../calculus/discrepancy.ts';
import { judgeFindings } from '../calculus/judge-findings.ts';
import { REACTIVE, type PolicyRecord } from '../chain/gate-record.ts';
import type { Forecast } from '../../request/answers/forecasts.ts';
import type { Forecasts } from '../chain/answers.ts';
import type { Scoring, ScoringPolicy } from './scoring.ts';

/** Why an answer of the scorer is unusable. */
interface Unusable {
  readonly reason: string;
  /** An answer arrived, so a repetition may succeed. */
  readonly isMalformed: boolean;
}

/** @returns  one forecast for each feature, in the order of the features */
export function readForecasts(
  answer: Forecasts,
  features: readonly GateFeature[],
  scale: Scale,
): Result<readonly Forecast[], Unusable> {
  if (!answer.available) return err({ reason: answer.reason, isMalformed: answer.isMalformed === true });
  const inOrder = completeForecasts(answer.forecasts, features, scale);
  return inOrder.ok ? inOrder : err({ reason: inOrder.error, isMalformed: true });
}

function completeForecasts(
  forecasts: readonly Forecast[],
  features: readonly GateFeature[],
  scale: Scale,
): Result<readonly Forecast[], string> {
  const max = MAGNITUDE_MAX[scale];
  const names = forecasts.map(({ feature }) => feature);
  const isKnown = (name: string): boolean => features.some((feature) => feature.name === name);
  // The error does not name the feature: the name is the scorer's own text, and the model reads the error.
  if (!names.every(isKnown)) return err('it forecasts a feature that this gate does not have');
  const doubled = names.find((name, at) => names.indexOf(name) !== at);
  if (doubled !== undefined) return err(`${doubled} is forecast twice`);
  const missing = features.find(({ name }) => !names.includes(name));
  if (missing !== undefined) return err(`${missing.name} is not forecast`);
  const off = forecasts.find(({ magnitude }) => !Number.isInteger(magnitude) || magnitude < 0 || magnitude > max);
  if (off !== undefined) return err(`${off.feature}: magnitude ${off.magnitude} is no whole number from 0 to ${max}`);
  return ok(features.flatMap(({ name }) => forecasts.filter((it) => it.feature === name)));
}

export interface JudgeOptions {
  /** The critical features alone may refuse. */
  readonly isReactive: boolean;
  /** The calculus weighs the commitments. */
  readonly isWeighing: boolean;
}

/** @param forecasts  at least one for each feature of the policy */
export function judgePolicy(
  policy: ScoringPolicy,
  forecasts: readonly Forecast[],
  scoring: Scoring,
  { isReactive, isWeighing }: JudgeOptions,
): PolicyRecord {
  const { scale, scheme, commitments, agentGates } = scoring;
  const { name, modify, reject, features } = policy;
  const findings = findingsOf(features, forecasts);
  const critical = findings.filter((finding) => finding.feature.critical);
  const reactive = discrepancyOf(critical, scale);
  const isRefused = isReactive && critical.length > 0 && reactive >= agentGates.reactiveReject;
  const judgement = judgeFindings(findings, isWeighing ? commitments : [], { scheme, scale, modify, reject });
  const { gateVerdict, decidedBy, score, trail, shortTrail, vetoes, isOpen } = judgement;
  return {
    policy: name,
    modify,
    reject,
    reactive,
    score,
    verdict: isRefused ? 'Reject' : gateVerdict,
    decidedBy: isRefused ? REACTIVE : decidedBy,
    isWeighed: isWeighing,
    shortTrail,
    trail,
    pairs: trail.length,
    ...(trail.length === 0 ? {} : { isOpen }),
    vetoes,
  };
}

function findingsOf(features: readonly GateFeature[], forecasts: readonly Forecast[]): readonly Finding[] {
  return features.flatMap((feature) =>
    forecasts
      .filter((forecast) => forecast.feature === feature.name)
      .map(({ magnitude, rationale }) => ({ feature, magnitude, rationale })),
  );
}

const STRICTNESS: Readonly<Record<PolicyRecord['verdict'], number>> = { Accept: 0, Modify: 1, Reject: 2 };

/** The strictest record; of equally strict ones, the first. */
export function strictest(first: PolicyRecord, ...others: readonly PolicyRecord[]): PolicyRecord {
  return others.reduce((best, next) => (STRICTNESS[next.verdict] > STRICTNESS[best.verdict] ? next : best), first);
}
