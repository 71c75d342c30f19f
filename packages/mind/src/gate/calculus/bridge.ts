/**
 * Turns a gate's findings and a character's commitments into norms for the calculus.
 *
 * I1  The norm at stake and the user's claim against it are different: the claim's level is the policy's `claimLevel`, or the
 *     lowest level of the scheme. If the claim took the level of the norm at stake, a severe finding would win by its severity.
 * I2  Findings of magnitude 0 and 1 make no claim. In the published design, magnitude 1 makes an indifferent claim, which is
 *     inert.
 *
 * Source: springdrift 1 (inert commitments); magnitudes of 0 to 5 are read as round(3m/5).
 */
import type { Proposition } from '@retainer/contract/api/character-spec';
import type { GateFeature } from '@retainer/contract/api/gate-policy';
import { levelsOf, type LevelName, type LevelSchemeName } from '@retainer/contract/api/levels';
import { invariant } from '@retainer/contract/std/invariant';
import { MAGNITUDE_MAX, type Finding, type Scale } from './discrepancy.ts';
import { normOf, type Norm } from './norm.ts';

/** Highest magnitude of the calculus. Source: springdrift 1. */
const MAGNITUDE_HIGHEST = 3;
/** The calculus does not weigh weaker findings. Source: springdrift 1. */
const CLAIM_MAGNITUDE_MIN = 2;

/** One commitment of the character, on the system's side. */
export interface Commitment {
  readonly id: string;
  readonly description: string;
  readonly norm: Norm;
}

/** A finding as a norm of the user: the claim that this much of it be allowed. */
export interface Claim {
  readonly feature: string;
  readonly description: string;
  /** 2 or 3. */
  readonly magnitude: number;
  readonly norm: Norm;
  /** Level of the norm that the finding would break; undefined if the policy names none. */
  readonly normAtStake: LevelName | undefined;
  readonly isHarm: boolean;
}

export interface HarmContext {
  /** Mean magnitude, 0 to 1. Recorded; no floor uses it. */
  readonly impactRatio: number;
  /** A critical feature has its maximum magnitude. */
  readonly isCatastrophic: boolean;
}

/** 0 to 3 on any scale. */
export function magnitudeOf({ magnitude }: Pick<Finding, 'magnitude'>, scale: Scale): number {
  return Math.round((MAGNITUDE_HIGHEST * magnitude) / MAGNITUDE_MAX[scale]);
}

/** Whether the finding is strong enough to make a claim and to be shown to people. */
export function isWeighty(finding: Finding, scale: Scale): boolean {
  return magnitudeOf(finding, scale) >= CLAIM_MAGNITUDE_MIN;
}

export function isCriticalAtMaximum(finding: Finding, scale: Scale): boolean {
  return finding.feature.critical && magnitudeOf(finding, scale) >= MAGNITUDE_HIGHEST;
}

/** In the order of the findings. */
export function claimsOf(findings: readonly Finding[], scale: Scale, scheme: LevelSchemeName): readonly Claim[] {
  const levels = levelsOf(scheme);
  const [highest] = levels;
  const lowest = levels.at(-1);
  invariant(highest !== undefined && lowest !== undefined, 'a scheme has levels');
  return findings.flatMap((finding) => {
    const { feature } = finding;
    const magnitude = magnitudeOf(finding, scale);
    if (!isWeighty(finding, scale)) return [];
    const operator = magnitude >= MAGNITUDE_HIGHEST ? 'Required' : 'Ought';
    return {
      feature: feature.name,
      description: feature.description,
      magnitude,
      norm: normOf(scheme, { level: feature.claimLevel ?? lowest, operator, modality: 'Possible' }),
      normAtStake: feature.level,
      isHarm: isHarm(feature, highest),
    };
  });
}

/** A critical feature is a harm; so is one that breaks a norm of the highest level. */
function isHarm({ critical, level }: GateFeature, highest: LevelName): boolean {
  return critical || level === highest;
}

export function harmOf(findings: readonly Finding[], scale: Scale): HarmContext {
  const sum = findings.reduce((total, finding) => total + magnitudeOf(finding, scale), 0);
  return {
    impactRatio: findings.length === 0 ? 0 : sum / (MAGNITUDE_HIGHEST * findings.length),
    isCatastrophic: findings.some((finding) => isCriticalAtMaximum(finding, scale)),
  };
}

export interface Endeavour {
  /** In the order of the character. */
  readonly commitments: readonly Commitment[];
  /** Impossible or indifferent commitments. They would still win conflicts, so the calculus omits them and reports it. */
  readonly inert: readonly Commitment[];
}

export function endeavourOf(propositions: readonly Proposition[], scheme: LevelSchemeName): Endeavour {
  const all = propositions.map((it) => ({ id: it.id, description: it.description, norm: normOf(scheme, it) }));
  const isInert = ({ norm }: Commitment): boolean => norm.modality === 'Impossible' || norm.operator === 'Indifferent';
  return { commitments: all.filter((it) => !isInert(it)), inert: all.filter(isInert) };
}
