/**
 * What the verdicts of the newest cycles show together. A finding is new evidence: the newest cycle is part of it, so that one bad
 * hour is acted on once for each of its cycles and not for all those after it.
 *
 * Source: springdrift 1, 2. Differs: the rate looks at the time; a finding needs the newest cycle; cycles older than a day are
 * forgotten.
 */
import { driftOf, type DriftKind } from '../calculus/drift.ts';
import type { Detector, GateDecision, Observation } from './observation.ts';

/** Milliseconds in which cycles are counted. */
export const RATE_WINDOW_MS = 60_000;

/** Cycles that most detectors look at. */
const LOOKED_AT = 10;

const REJECTIONS_MIN = 3;
const MODIFIED_CYCLES_MIN = 3;

/** Cycles, of so many, whose highest score is so high. */
const RISK = { cycles: 5, of: 6, score: 0.2 } as const;

/** Rejections that people called wrong: so many, and so large a share of all. */
const FALSE_POSITIVES = { min: 2, share: 0.5 } as const;

interface Seen {
  /** Newest last; not empty. */
  readonly observations: readonly Observation[];
  /** Ends of cycles within the last minute. */
  readonly endedInMinute: number;
  readonly cyclesPerMinute: number;
  /** Cycles whose rejections a person called wrong. */
  readonly falsePositives: ReadonlySet<string>;
  /** Those of them that were acted on before. */
  readonly told: ReadonlySet<string>;
}

/** In the order of the table. */
export function detect(seen: Seen): readonly Detector[] {
  const holds: readonly (readonly [Detector, boolean])[] = [
    ['Rate', seen.endedInMinute > seen.cyclesPerMinute],
    ['CumulativeRisk', isCumulative(seen.observations)],
    ['RepeatedRejections', hasRepeatedRejections(seen)],
    ['RepeatedModifications', isModifiedAgain(seen.observations)],
    ['FalsePositives', hasFalsePositives(seen)],
  ];
  return [...holds.filter(([, isFound]) => isFound).map(([detector]) => detector), ...drifts(seen.observations)];
}

/** Only where the norms held the newest cycle back as well. */
function drifts(observations: readonly Observation[]): readonly DriftKind[] {
  const isHeldBack = observations.at(-1)?.judged.some(({ verdict }) => verdict !== 'Flourishing') ?? false;
  const drift = isHeldBack ? driftOf(observations.flatMap(({ judged }) => judged)) : undefined;
  return drift === undefined ? [] : [drift.kind];
}

function isCumulative(observations: readonly Observation[]): boolean {
  const isElevated = ({ decisions }: Observation): boolean => decisions.some((it) => (it.score ?? 0) >= RISK.score);
  const newest = observations.at(-1);
  return (
    newest !== undefined && isElevated(newest) && observations.slice(-RISK.of).filter(isElevated).length >= RISK.cycles
  );
}

function hasRepeatedRejections({ observations, falsePositives }: Seen): boolean {
  const counted = observations
    .slice(-LOOKED_AT)
    .map((it) => (falsePositives.has(it.cycleId) ? 0 : countOf(it.decisions, 'Reject')));
  return (counted.at(-1) ?? 0) > 0 && total(counted) >= REJECTIONS_MIN;
}

function isModifiedAgain(observations: readonly Observation[]): boolean {
  const isModified = observations.slice(-LOOKED_AT).map(({ decisions }) => countOf(decisions, 'Modify') > 0);
  return isModified.at(-1) === true && isModified.filter(Boolean).length >= MODIFIED_CYCLES_MIN;
}

/** Of those that are called wrong the newest cycle need not be one: people say so later. Each is told of once. */
function hasFalsePositives({ observations, falsePositives, told }: Seen): boolean {
  const looked = observations.slice(-LOOKED_AT).filter((it) => countOf(it.decisions, 'Reject') > 0);
  const wrong = looked.filter((it) => falsePositives.has(it.cycleId));
  const rejections = total(looked.map((it) => countOf(it.decisions, 'Reject')));
  const called = total(wrong.map((it) => countOf(it.decisions, 'Reject')));
  if (wrong.every((it) => told.has(it.cycleId))) return false;
  return called >= FALSE_POSITIVES.min && called >= FALSE_POSITIVES.share * rejections;
}

function countOf(decisions: readonly GateDecision[], verdict: GateDecision['verdict']): number {
  return decisions.filter((it) => it.verdict === verdict).length;
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
