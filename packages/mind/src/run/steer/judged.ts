/** Pairs criteria with their verdicts, by index. Source: artoo A.6. */
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import type { BusCriterion, CriteriaVerdict, SubTaskOutcome } from '@retainer/contract/wire/bus/payloads';

/** The steerer's view of a round. */
export interface RoundResult {
  readonly outcomes: readonly SubTaskOutcome[];
  /** Empty when nobody judged the whole. */
  readonly taskVerdicts: readonly CriteriaVerdict[];
  /** Since the first plan of the run. */
  readonly elapsedMs: number;
}

export interface JudgedCriterion {
  readonly criterion: BusCriterion;
  readonly verdict: CriteriaVerdict;
}

/**
 * One verdict for each criterion, in their order. A missing or doubled verdict proves nothing.
 *
 * @param missing  the reason for a missing verdict
 */
export function judged(
  criteria: readonly BusCriterion[],
  verdicts: readonly CriteriaVerdict[],
  missing = 'nobody judged it',
): readonly JudgedCriterion[] {
  return criteria.map((criterion, position) => {
    const index = position + 1;
    const own = verdicts.filter((it) => it.index === index);
    const [only] = own;
    if (only !== undefined && own.length === 1) return { criterion, verdict: only };
    const reason = own.length === 0 ? missing : `it was judged ${own.length} times`;
    return { criterion, verdict: { index, verdict: 'Unverified', failureClass: 'Unverified', evidence: [], reason } };
  });
}

export function isMet({ verdict }: JudgedCriterion): boolean {
  return verdict.verdict === 'Met';
}

/**
 * A failure of the machinery says nothing about the work. A failure that outlasted its repetitions is `Unverified`, and counts.
 *
 * Source: artoo A.6.
 */
export function isExcluded({ verdict }: JudgedCriterion): boolean {
  return verdict.verdict === 'Unmet' && verdict.failureClass === 'Infrastructure';
}

export function isFailed(outcome: SubTaskOutcome): boolean {
  return outcome.status === 'Failed';
}

/** Whether the whole was judged, or counts as judged because no subtask failed before. Source: artoo A.8. */
export function isWholeJudged({ outcomes, taskVerdicts }: RoundResult): boolean {
  return taskVerdicts.length > 0 || (outcomes.length > 0 && !outcomes.some(isFailed));
}

/** If the only subtask has exactly the task's criteria, its verdicts are also the whole's, as they are when it matched. */
export function withVerdictsOfOnlyStep(criteria: readonly BusCriterion[], result: RoundResult): RoundResult {
  const [only, ...others] = result.outcomes;
  const isWhole = only !== undefined && others.length === 0 && canonicalJson(only.criteria) === canonicalJson(criteria);
  return isWhole && result.taskVerdicts.length === 0 ? { ...result, taskVerdicts: only.verdicts } : result;
}

/**
 * Texts of all unmet criteria: first those of the whole, then those of subtasks; each once.
 *
 * Source: artoo A.8, A.15 (law 0). A failed subtask without criteria is named by its intent.
 */
export function unmetTexts(criteria: readonly BusCriterion[], result: RoundResult): string[] {
  const texts = [
    ...judged(criteria, result.taskVerdicts)
      .filter((it) => !isMet(it))
      .map((it) => it.criterion.text),
    ...result.outcomes.flatMap(unmetOf),
  ];
  return [...new Set(texts)];
}

/** Texts of one subtask's unmet criteria; none when it matched and nobody judged it. */
export function unmetOf(outcome: SubTaskOutcome): readonly string[] {
  if (outcome.verdicts.length === 0 && !isFailed(outcome)) return [];
  const unmet = judged(outcome.criteria, outcome.verdicts)
    .filter((it) => !isMet(it))
    .map((it) => it.criterion.text);
  return unmet.length === 0 && isFailed(outcome) ? [outcome.intent] : unmet;
}
