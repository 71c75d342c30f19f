/**
 * Patterns of the newest verdicts, as the agent is told of them. They change nothing: what follows from verdicts, the observer decides.
 *
 * Source: springdrift 1 (drift), 2 (a stall of a gate: five scores whose mean is 0.25 or more).
 */
import { driftOf } from '../calculus/drift.ts';
import { gateNames } from '../verdict.ts';
import type { Observation } from './observation.ts';

/** Scores of a gate that are looked at; fewer prove nothing. */
const STALL_SCORES = 5;
const STALL_MEAN_MIN = 0.25;

export interface VerdictPattern {
  readonly name: 'Drift' | 'Stall';
  /** The kind of drift, or the gate. */
  readonly about: string;
  /** Verdicts, or scores, that show it, of those looked at. */
  readonly count: number;
  readonly of: number;
}

/** @param observations  oldest first */
export function verdictPatterns(observations: readonly Observation[]): readonly VerdictPattern[] {
  const drift = driftOf(observations.flatMap(({ judged }) => judged));
  const drifts: readonly VerdictPattern[] =
    drift === undefined
      ? []
      : [{ name: 'Drift', about: drift.kind, count: Math.round(drift.rate * drift.verdicts), of: drift.verdicts }];
  return [...drifts, ...gateNames.flatMap((gate) => stallOf(gate, observations))];
}

function stallOf(gate: (typeof gateNames)[number], observations: readonly Observation[]): readonly VerdictPattern[] {
  const scores = observations
    .flatMap(({ decisions }) => decisions)
    .flatMap((it) => (it.gate === gate && it.score !== undefined ? [it.score] : []))
    .slice(-STALL_SCORES);
  const mean = scores.reduce((sum, score) => sum + score, 0) / STALL_SCORES;
  if (scores.length < STALL_SCORES || mean < STALL_MEAN_MIN) return [];
  const count = scores.filter((score) => score >= STALL_MEAN_MIN).length;
  return [{ name: 'Stall', about: gate, count, of: STALL_SCORES }];
}
