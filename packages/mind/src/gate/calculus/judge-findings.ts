/**
 * Judges findings against commitments.
 *
 * Below the modify threshold the calculus does not run (fast path). Otherwise every claim meets every commitment, and the floors
 * decide. Vetoes come last; no weighing lifts them.
 *
 * I1  No pair with a harm ends without conflict: if the published rules let the user's claim win, the commitment wins instead.
 * I2  A veto only makes the verdict stricter.
 * I3  The trail has one line for each pair: the user's claims in order, and for each the commitments in order.
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

/** A harm is never a claim that could be stronger. Source: springdrift 1. */
export const HARM_RULE = 'harm-never-outweighed';

/** Decides below the modify threshold. Source: springdrift 1 (the paper's appendix C). */
const FAST_PATH = 'fast-path';

export interface Policy {
  readonly scheme: LevelSchemeName;
  readonly scale: Scale;
  /** Thresholds of D′, 0 to 1. */
  readonly modify: number;
  readonly reject: number;
}

export interface ResolvedPair {
  /** Name of the feature. */
  readonly claim: string;
  readonly commitment: string;
  readonly rule: PairRuleId | typeof HARM_RULE;
  /** The published rule, if a harm replaces it. */
  readonly publishedRule?: PairRuleId;
  readonly severity: Severity;
  readonly outcome: Outcome;
  readonly systemOrdinal: number;
}

export type VetoId = 'veto-feature-floor' | 'veto-critical-maximum';

export interface Veto {
  readonly id: VetoId;
  readonly feature: string;
  /** The mildest verdict that remains possible. */
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
  /** Findings with a magnitude of 2 or more out of 3, for people; empty if the verdict is Flourishing. */
  readonly flagged: readonly Flagged[];
  /** Axiom 6.5: no commitment conflicts with the claims. */
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
    : floorOf({ scheme, pairs: trail, isCatastrophic: harm.isCatastrophic, score, modify, reject });
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

/** The stricter decision; of equally strict ones, the earlier. */
function stricter(before: Decision, next: Decision): Decision {
  return STRICTNESS[next.verdict] > STRICTNESS[before.verdict] ? next : before;
}

/** Two plain literals: with spread objects, the largest judgement took thirty times as long. */
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
