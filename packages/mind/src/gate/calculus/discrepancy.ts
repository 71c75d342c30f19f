/**
 * The discrepancy D′: the weighted strength of all findings together, 0 to 1.
 *
 * Source: springdrift 2; design 5 (the paper's scale is the default, the code's selectable).
 */
import type { GateFeature, GatePolicies } from '@retainer/contract/api/gate-policy';
import { IMPORTANCE_MAX, MAGNITUDE_MAX_PAPER, MAGNITUDE_MAX_WEIGHTED } from '@retainer/contract/api/gate-policy';

export type Scale = GatePolicies['scale'];

/** One feature of a gate's policy, and the strength of its finding. */
export interface Finding {
  readonly feature: GateFeature;
  /** 0 to `MAGNITUDE_MAX[scale]`. */
  readonly magnitude: number;
  readonly rationale: string;
}

/** Highest magnitude of a forecast. */
export const MAGNITUDE_MAX: Readonly<Record<Scale, number>> = {
  Paper: MAGNITUDE_MAX_PAPER,
  Weighted: MAGNITUDE_MAX_WEIGHTED,
};

/** The weight of a feature; importances of tiers multiply. */
function weightOf({ importance, set, group }: GateFeature): number {
  return importance * (set?.importance ?? 1) * (group?.importance ?? 1);
}

/** The greatest possible weight of a feature with as many tiers. */
function weightMax({ set, group }: GateFeature): number {
  return IMPORTANCE_MAX ** [true, set !== undefined, group !== undefined].filter(Boolean).length;
}

/**
 * Weighted sum of the magnitudes, divided by the greatest possible sum. On the paper's scale that sum uses the maximum
 * importances, on the weighted scale the actual ones.
 *
 * One division of whole numbers, so that a score equal to a threshold reaches it.
 *
 * Differs: the paper has no tiers; a feature with tiers is measured against the greatest product that its tiers allow.
 *
 * @param findings  one for each feature of the gate; without any, D′ is 0
 */
export function discrepancyOf(findings: readonly Finding[], scale: Scale): number {
  const divisorOf = scale === 'Paper' ? weightMax : weightOf;
  let sum = 0;
  let greatest = 0;
  for (const { feature, magnitude } of findings) {
    sum += weightOf(feature) * magnitude;
    greatest += divisorOf(feature) * MAGNITUDE_MAX[scale];
  }
  return greatest === 0 ? 0 : sum / greatest;
}
