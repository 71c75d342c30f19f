/**
 * One judgement: findings against commitments.
 *
 * The way of a judgement: below the modify threshold the calculus does not run (fast path). Else every claim meets every
 * commitment, and the floors decide. Last come the vetoes, which no weighing can lift.
 *
 * I1  No pair of a harm ends without conflict: where the published rules would let the user's claim win, the commitment wins.
 * I2  A veto only makes the verdict stricter.
 * I3  The trail has one line for each pair, the user's claims in order, for each the commitments in order.
 *
 * Source: springdrift 1 (fast path of appendix C).
 */
import type { LevelSchemeName } from '@retainer/contract/api/levels';
import {
  claimsOf,
  harmOf,
  isCriticalAtMaximum,
  isWeighty,
  type Claim,
  type Commitment,
  type HarmContext,
} from './bridge.ts';
import { discrepancyOf, type Finding, type Scale } from './discrepancy.ts';
import { floorOf, GATE_VERDICTS, type FloorId, type NormativeVerdict } from './floors.ts';
import { resolvePair, type Outcome, type PairRuleId, type Severity } from './pair-rules.ts';

/** A harm is no claim that could be stronger. Source: springdrift 1. */
export const HARM_RULE = 'harm-never-outweighed';

/** Below the modify threshold. Source: springdrift 1 (the paper's appendix C). */
const FAST_PATH = 'fast-path';

export interface Policy {
  readonly scheme: LevelSchemeName;
  readonly scale: Scale;
  /** Thresholds of D′, 0 to 1. */
  readonly modify: number;
  readonly reject: number;
}

/** One line of the trail. */
export interface ResolvedPair {
  /** Name of the feature, and id of the commitment. */
  readonly claim: string;
  readonly commitment: string;
  readonly rule: PairRuleId | typeof HARM_RULE;
  /** What the published rules say, where a harm is treated otherwise. */
  readonly publishedRule?: PairRuleId;
  readonly severity: Severity;
  readonly outcome: Outcome;
  /** Of the commitment's level. */
  readonly systemOrdinal: number;
}

export type VetoId = 'veto-feature-floor' | 'veto-critical-maximum';

export interface Veto {
  readonly id: VetoId;
  readonly feature: string;
  /** The mildest verdict that is left. */
  readonly verdict: NormativeVerdict;
}

export interface Flagged {
  readonly feature: string;
  /** As forecast, on the scale of the policy. */
  readonly magnitude: number;
  readonly rationale: string;
}

export interface Judgement {
  readonly verdict: NormativeVerdict;
  /** The same in the gate's words. */
  readonly gateVerdict: (typeof GATE_VERDICTS)[NormativeVerdict];
  readonly decidedBy: FloorId | VetoId | typeof FAST_PATH;
  /** D′, 0 to 1. */
  readonly score: number;
  readonly harm: HarmContext;
  readonly claims: readonly Claim[];
  readonly trail: readonly ResolvedPair[];
  /** Every rule of the trail once, by name. */
  readonly shortTrail: readonly string[];
  readonly vetoes: readonly Veto[];
  /** Findings of 2 and more of 3, for people; empty where the verdict is Flourishing. */
  readonly flagged: readonly Flagged[];
  /** Axiom 6.5: nothing stands against the claims. */
  readonly isOpen: boolean;
}

/** @param findings  one for each feature of the gate */
export function judgeFindings(
  findings: readonly Finding[],
  commitments: readonly Commitment[],
  policy: Policy,
): Judgement {
  const { scheme, scale, modify, reject } = policy;
  const score = discrepancyOf(findings, scale);
  const harm = harmOf(findings, scale);
  const isFast = score < modify;
  const claims = isFast ? [] : claimsOf(findings, scale, scheme);
  const trail = claims.flatMap((claim) => commitments.map((commitment) => weighPair(claim, commitment)));
  const weighed = isFast
    ? ({ id: FAST_PATH, verdict: 'Flourishing' } as const)
    : floorOf({ pairs: trail, isCatastrophic: harm.isCatastrophic, score, modify, reject });
  const vetoes = vetoesOf(findings, scale);
  const { id, verdict } = vetoes.reduce<Decision>(stricter, weighed);
  return {
    verdict,
    gateVerdict: GATE_VERDICTS[verdict],
    decidedBy: id,
    score,
    harm,
    claims,
    trail,
    shortTrail: [...new Set(trail.map((pair) => pair.rule))].toSorted(),
    vetoes,
    flagged: verdict === 'Flourishing' ? [] : flaggedOf(findings, scale),
    isOpen: trail.every((pair) => pair.severity === 'NoConflict'),
  };
}

interface Decision {
  readonly id: Judgement['decidedBy'];
  readonly verdict: NormativeVerdict;
}

const STRICTNESS: Readonly<Record<NormativeVerdict, number>> = { Flourishing: 0, Constrained: 1, Prohibited: 2 };

/** The earlier one where both are as strict. */
function stricter(before: Decision, next: Decision): Decision {
  return STRICTNESS[next.verdict] > STRICTNESS[before.verdict] ? next : before;
}

/** Two plain literals: spread objects made the greatest judgement thirty times as slow. */
function weighPair(
  { feature: claim, norm, isHarm }: Claim,
  { id: commitment, norm: system }: Commitment,
): ResolvedPair {
  const { id: rule, severity, outcome } = resolvePair(norm, system);
  const systemOrdinal = system.ordinal;
  if (!isHarm || severity !== 'NoConflict') return { claim, commitment, rule, severity, outcome, systemOrdinal };
  return {
    claim,
    commitment,
    rule: HARM_RULE,
    publishedRule: rule,
    severity: 'Superordinate',
    outcome: 'SystemWins',
    systemOrdinal,
  };
}

function flaggedOf(findings: readonly Finding[], scale: Scale): readonly Flagged[] {
  return findings
    .filter((finding) => isWeighty(finding, scale))
    .map(({ feature, magnitude, rationale }) => ({ feature: feature.name, magnitude, rationale }));
}

/** In the order of the findings. */
function vetoesOf(findings: readonly Finding[], scale: Scale): readonly Veto[] {
  return findings.flatMap((finding): readonly Veto[] => {
    const { name: feature, floor } = finding.feature;
    const byPolicy: readonly Veto[] =
      floor !== undefined && finding.magnitude >= floor.magnitude
        ? [{ id: 'veto-feature-floor', feature, verdict: floor.verdict === 'Reject' ? 'Prohibited' : 'Constrained' }]
        : [];
    const byMaximum: readonly Veto[] = isCriticalAtMaximum(finding, scale)
      ? [{ id: 'veto-critical-maximum', feature, verdict: 'Constrained' }]
      : [];
    return [...byPolicy, ...byMaximum];
  });
}
