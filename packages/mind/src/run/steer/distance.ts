/**
 * D: the distance between the result and the goal, 0 to 1.
 *
 * Source: artoo A.9 (D), A.6, A.8, A.7 (what was not started counts).
 */
import type { BusCriterion, SubTaskOutcome } from '@retainer/contract/wire/bus/payloads';
import { isExcluded, isFailed, isMet, isWholeJudged, judged, withVerdictsOfOnlyStep } from './judged.ts';
import type { JudgedCriterion, RoundResult } from './judged.ts';
import type { SteerContext } from './steer-state.ts';
import { isAbove } from './threshold.ts';

/** The summed weight of failed criteria, and the number of criteria. */
interface Share {
  readonly failed: number;
  readonly count: number;
}

/**
 * The greater of the subtasks' distance and the whole's; 1 when there is no outcome to judge.
 *
 * @param criteria  of the whole task, in the order of its verdicts
 */
export function distance(criteria: readonly BusCriterion[], result: RoundResult): number {
  return Math.max(subtaskDistance(result.outcomes), taskDistance(criteria, result));
}

function subtaskDistance(outcomes: readonly SubTaskOutcome[]): number {
  const shares = outcomes.map(outcomeShare);
  const count = sum(shares.map((it) => it.count));
  return count === 0 ? 1 : sum(shares.map((it) => it.failed)) / count;
}

function taskDistance(criteria: readonly BusCriterion[], result: RoundResult): number {
  if (!isWholeJudged(result)) return 0;
  // The whole is judged once in a round, so a failed plausible criterion failed in one of one attempts.
  const { failed, count } = shareOf(judged(criteria, result.taskVerdicts), () => 1);
  return count === 0 ? 0 : failed / count;
}

/** An outcome without verdicts counts as one criterion, failed if the outcome failed. */
function outcomeShare(outcome: SubTaskOutcome): Share {
  const bySelf = { failed: isFailed(outcome) ? 1 : 0, count: 1 };
  if (!outcome.started) return { failed: 1, count: 1 };
  if (outcome.verdicts.length === 0 || outcome.criteria.length === 0)
    return outcome.failureClass === 'Infrastructure' ? { failed: 0, count: 0 } : bySelf;
  const all = judged(outcome.criteria, outcome.verdicts);
  // The subtask failed although each criterion is met: the status is right, the criteria missed something.
  if (isFailed(outcome) && all.every(isMet)) return bySelf;
  return shareOf(all, (it) => failedAttempts(outcome, it));
}

function shareOf(all: readonly JudgedCriterion[], plausibleWeight: (it: JudgedCriterion) => number): Share {
  const counted = all.filter((it) => !isExcluded(it));
  const weights = counted
    .filter((it) => !isMet(it))
    .map((it) => (it.criterion.mode === 'Plausible' ? plausibleWeight(it) : 1));
  return { failed: sum(weights), count: counted.length };
}

/** k/N: the share of its attempts in which a criterion failed; at least the last one did. Source: artoo A.8. */
function failedAttempts({ trajectory }: SubTaskOutcome, { verdict }: JudgedCriterion): number {
  const attempts = Math.max(1, trajectory.length);
  const failed = trajectory.filter((it) => it.unmet.includes(verdict.index)).length;
  return Math.max(1, failed) / attempts;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, it) => total + it, 0);
}

/**
 * Why a round may not end as a success however small D is; undefined when it may.
 *
 * Source: artoo A.8 (a failed criterion of the whole, unless plausible). Differs: nor may it if something was not judged because the
 * machinery failed: what is left out of D is not near, it is unknown.
 */
export function successBar(
  criteria: readonly BusCriterion[],
  result: RoundResult,
): 'TaskCriterion' | 'Infrastructure' | undefined {
  const whole = withVerdictsOfOnlyStep(criteria, result);
  if (isWholeJudged(whole)) {
    const failed = judged(criteria, whole.taskVerdicts).filter((it) => !isMet(it));
    if (failed.some((it) => it.criterion.required && it.criterion.mode === 'Verifiable')) return 'TaskCriterion';
  }
  return result.outcomes.some(hasExcluded) ? 'Infrastructure' : undefined;
}

/** Whether the result would suffice: D ≤ δ, and nothing bars a success. */
export function isNearEnough(
  d: number,
  result: RoundResult,
  { control, criteria }: Pick<SteerContext, 'control' | 'criteria'>,
): boolean {
  return !isAbove(d, control.thresholds.delta) && successBar(criteria, result) === undefined;
}

function hasExcluded(outcome: SubTaskOutcome): boolean {
  if (!isFailed(outcome)) return false;
  return (
    outcome.failureClass === 'Infrastructure' || judged(outcome.criteria, outcome.verdicts).some((it) => isExcluded(it))
  );
}
