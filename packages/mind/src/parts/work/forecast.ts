/**
 * The score of a forecast: D′ over five features. One implementation serves the forecaster and the tools that show it.
 *
 * I1  A breakdown holds every feature with a magnitude, in its own size and with its reason: no reader sees less than was scored.
 *
 * Source: springdrift 8, 15 (8: a second copy on another scale scored everything 0.333).
 * Differs: there the explanation keeps magnitudes from 4 on a scale that ends at 3, so it was always empty.
 */
import { z } from 'zod';
import { discrepancyOf, MAGNITUDE_MAX } from '../../gate/calculus/discrepancy.ts';
import { Moment } from './texts.ts';

export const FEATURES = [
  'StepCompletionRate',
  'DependencyHealth',
  'ComplexityDrift',
  'RiskMaterialization',
  'ScopeCreep',
] as const;
export type Feature = (typeof FEATURES)[number];

/** 1 to 3. Source: springdrift 8. */
export const IMPORTANCE: Readonly<Record<Feature, number>> = {
  StepCompletionRate: 3,
  DependencyHealth: 3,
  ComplexityDrift: 2,
  RiskMaterialization: 2,
  ScopeCreep: 1,
};

const Importance = z.int().min(1).max(3);

/** Importance of features for one endeavour; of the others, the table's. */
export const FeatureOverrides = z.strictObject({
  StepCompletionRate: Importance.exactOptional(),
  DependencyHealth: Importance.exactOptional(),
  ComplexityDrift: Importance.exactOptional(),
  RiskMaterialization: Importance.exactOptional(),
  ScopeCreep: Importance.exactOptional(),
});
export type FeatureOverrides = Readonly<z.infer<typeof FeatureOverrides>>;

/** What is seen of a feature. */
export interface Seen {
  /** 0 to 3. */
  readonly magnitude: number;
  /** The numbers that it follows from; never a text of others. */
  readonly rationale: string;
}
export type Magnitudes = Readonly<Record<Feature, Seen>>;

const Weighed = z.strictObject({
  feature: z.enum(FEATURES),
  magnitude: z.number().min(0).max(MAGNITUDE_MAX.Weighted),
  rationale: z.string(),
  /** Its part of the score. */
  weightedScore: z.number(),
});
export type Weighed = Readonly<z.infer<typeof Weighed>>;

/** Of features with a magnitude. */
export const Breakdown = z.array(Weighed).max(FEATURES.length);
export type Breakdown = Readonly<z.infer<typeof Breakdown>>;

export const Forecast = z.strictObject({
  /** D′, 0 to 1. */
  score: z.number().min(0).max(1),
  breakdown: Breakdown,
  scoredAtMs: Moment,
  /** When it was last suggested to plan anew; absent: never. */
  suggestedAtMs: Moment.exactOptional(),
});
export type Forecast = Readonly<z.infer<typeof Forecast>>;

export interface Scored {
  readonly score: number;
  readonly breakdown: Breakdown;
}

/** @param overrides  of the endeavour */
export function scored(magnitudes: Magnitudes, overrides: FeatureOverrides = {}): Scored {
  const findings = FEATURES.map((name) => {
    const importance = overrides[name] ?? IMPORTANCE[name];
    // The calculus has one form of a feature; of a forecast's, only name and importance count.
    const feature = { name, description: name, importance, critical: false };
    return { feature, ...magnitudes[name] };
  });
  const total = findings.reduce((sum, { feature }) => sum + feature.importance, 0);
  const breakdown = findings
    .filter(({ magnitude }) => magnitude > 0)
    .map(({ feature, magnitude, rationale }) => ({
      feature: feature.name,
      magnitude,
      rationale,
      weightedScore: (feature.importance * magnitude) / (total * MAGNITUDE_MAX.Weighted),
    }));
  return { score: discrepancyOf(findings, 'Weighted'), breakdown };
}
