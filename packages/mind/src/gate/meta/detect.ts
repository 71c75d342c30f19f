/**
 * Detects patterns in the verdicts of the newest runs. Every finding includes the newest run as new evidence. So a bad hour
 * causes interventions after each of its own runs, but not after later ones.
 *
 * Source: springdrift 1, 2. Differs: the rate looks at the time; a finding needs the newest run.
 */
import { driftOf, type DriftKind } from '../calculus/drift.ts';
import type { Detector, GateDecision, Observation } from './observation.ts';

/** Window of the rate, in milliseconds. */
export const RATE_WINDOW_MS = 60_000;

/** Number of cycles that most detectors examine. */
const LOOKED_AT = 10;

const REJECTIONS_MIN = 3;
const MODIFIED_RUNS_MIN = 3;

/** Number of runs, out of the newest `of`, whose highest score reaches `score`. */
const RISK = { runs: 5, of: 6, score: 0.2 } as const;

/** Rejections that people called wrong: minimum number, and minimum share of all rejections. */
const FALSE_POSITIVES = { min: 2, share: 0.5 } as const;

/** Rejections of a run that people called wrong, by run. */
export type CalledWrong = ReadonlyMap<string, number>;

interface Seen {
  /** Newest last; not empty. */
  readonly observations: readonly Observation[];
  readonly begunInMinute: number;
  readonly cyclesPerMinute: number;
  readonly wrong: CalledWrong;
  /** Those of them that were already reported. */
  readonly told: CalledWrong;
}

/** In the order of the table. */
export function detect(seen: Seen): readonly Detector[] {
  const holds: readonly (readonly [Detector, boolean])[] = [
    ['Rate', seen.begunInMinute > seen.cyclesPerMinute],
    ['CumulativeRisk', isCumulative(seen.observations)],
    ['RepeatedRejections', hasRepeatedRejections(seen)],
    ['RepeatedModifications', isModifiedAgain(seen.observations)],
    ['FalsePositives', hasFalsePositives(seen)],
  ];
  return [...holds.filter(([, isFound]) => isFound).map(([detector]) => detector), ...drifts(seen.observations)];
}

/** Counts only if the norms restrained the newest run as well. */
function drifts(observations: readonly Observation[]): readonly DriftKind[] {
  const isHeldBack = observations.at(-1)?.judged.some(({ verdict }) => verdict !== 'Flourishing') ?? false;
  const drift = isHeldBack ? driftOf(observations.flatMap(({ judged }) => judged)) : undefined;
  return drift === undefined ? [] : [drift.kind];
}

function isCumulative(observations: readonly Observation[]): boolean {
  const isElevated = ({ decisions }: Observation): boolean => decisions.some((it) => (it.score ?? 0) >= RISK.score);
  const newest = observations.at(-1);
  return (
    newest !== undefined && isElevated(newest) && observations.slice(-RISK.of).filter(isElevated).length >= RISK.runs
  );
}

function hasRepeatedRejections({ observations, wrong }: Seen): boolean {
  const counted = observations.slice(-LOOKED_AT).map((it) => rejectionsOf(it) - wrongOf(it, wrong));
  return (counted.at(-1) ?? 0) > 0 && total(counted) >= REJECTIONS_MIN;
}

function isModifiedAgain(observations: readonly Observation[]): boolean {
  const isModified = observations.slice(-LOOKED_AT).map(({ decisions }) => countOf(decisions, 'Modify') > 0);
  return isModified.at(-1) === true && isModified.filter(Boolean).length >= MODIFIED_RUNS_MIN;
}

/** The newest run need not be among them, because people report them later. Each is reported once. */
function hasFalsePositives({ observations, wrong, told }: Seen): boolean {
  const looked = observations.slice(-LOOKED_AT);
  if (looked.every((it) => wrongOf(it, wrong) <= wrongOf(it, told))) return false;
  const called = total(looked.map((it) => wrongOf(it, wrong)));
  return called >= FALSE_POSITIVES.min && called >= FALSE_POSITIVES.share * total(looked.map(rejectionsOf));
}

function rejectionsOf({ decisions }: Observation): number {
  return countOf(decisions, 'Reject');
}

function wrongOf(observation: Observation, wrong: CalledWrong): number {
  return Math.min(wrong.get(observation.runId) ?? 0, rejectionsOf(observation));
}

function countOf(decisions: readonly GateDecision[], verdict: GateDecision['verdict']): number {
  return decisions.filter((it) => it.verdict === verdict).length;
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
