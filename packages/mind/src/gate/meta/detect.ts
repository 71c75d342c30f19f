/**
 * Detects patterns in the verdicts of the newest cycles. Every finding includes the newest cycle as new evidence. So a bad hour
 * causes interventions after each of its own cycles, but not after later ones.
 *
 * Source: springdrift 1, 2. Differs: the rate looks at the time; a finding needs the newest cycle; cycles older than a day are
 * forgotten.
 */
import { driftOf, type DriftKind } from '../calculus/drift.ts';
import type { Detector, GateDecision, Observation } from './observation.ts';

/** Window of the rate, in milliseconds. */
export const RATE_WINDOW_MS = 60_000;

/** Number of cycles that most detectors examine. */
const LOOKED_AT = 10;

const REJECTIONS_MIN = 3;
const MODIFIED_CYCLES_MIN = 3;

/** Number of cycles, out of the newest `of`, whose highest score reaches `score`. */
const RISK = { cycles: 5, of: 6, score: 0.2 } as const;

/** Rejections that people called wrong: minimum number, and minimum share of all rejections. */
const FALSE_POSITIVES = { min: 2, share: 0.5 } as const;

interface Seen {
  /** Newest last; not empty. */
  readonly observations: readonly Observation[];
  readonly endedInMinute: number;
  readonly cyclesPerMinute: number;
  /** Cycles with a rejection that a person called wrong. */
  readonly falsePositives: ReadonlySet<string>;
  /** Those of them that were already reported. */
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

/** Counts only if the norms restrained the newest cycle as well. */
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

/** The newest cycle need not be among the false positives, because people report them later. Each is reported once. */
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
