/**
 * Judges whether the whole result meets the task. It accepts only on positive evidence.
 *
 * I1  A task with a failed subtask or an unmet required criterion is never accepted.
 *
 * Source: artoo A.8 (verdicts on the task's criteria, by index), A.6, A.17 (doubt rejects; no model where a subtask failed).
 */
import { joinedOnce } from '@retainer/contract/std/said-once';
import type {
  BusCriterion,
  CriteriaVerdict,
  Salvage,
  SubTaskOutcome,
  ToolCallRecord,
} from '@retainer/contract/wire/bus/payloads';
import { recordedAnswer } from '../../request/answers.ts';
import { shownCalls, withOwnIds } from '../../assemble/shown-ids.ts';
import type { KnownTools } from '../../gate/tool-facts.ts';
import type { RunTrace } from './acts.ts';
import type { OpenClaims } from './hangs-on.ts';
import { areRequiredMet, judgeCriteria, unverified } from './judgement.ts';

export interface TaskQuestion {
  readonly criteria: readonly BusCriterion[];
  /** Of this round. */
  readonly outcomes: readonly SubTaskOutcome[];
  readonly salvage: readonly Salvage[];
  /** What the result states and nothing shows. */
  readonly open?: OpenClaims;
  /** The task's intent. */
  readonly wishes?: readonly string[];
  /** Every call of the run, and what stood in the workspace before; absent: the calls of the outcomes. */
  readonly trace?: RunTrace;
  /** Calls that proved the kept results, by subtask. */
  readonly kept?: ReadonlyMap<string, readonly ToolCallRecord[]>;
  readonly known: KnownTools;
}

export interface TaskJudgement {
  readonly accepted: boolean;
  readonly verdicts: readonly CriteriaVerdict[];
  /** What is missing, for the steerer; empty when accepted. */
  readonly gap: string;
  readonly corrections: readonly string[];
}

/** Most characters of a gap's summary. */
const GAP_CHARACTERS_MAX = 4000;

/** @returns why the outcomes need no model: one of them failed, or there is none; undefined when one must be asked */
export function gapBeforeMerge({ outcomes, salvage }: Pick<TaskQuestion, 'outcomes' | 'salvage'>): string | undefined {
  if (outcomes.length + salvage.length === 0) return 'no subtask brought a result';
  const failed = outcomes.filter((it) => it.status === 'Failed');
  if (failed.length === 0) return undefined;
  return joinedOnce(failed.map((it) => it.failureReason ?? it.subtaskId)).slice(0, GAP_CHARACTERS_MAX);
}

/** @param answer  of the meta-validator, parsed; else it failed for good, and no criterion is verified */
export function judgeTask(question: TaskQuestion, answer: unknown): TaskJudgement {
  const before = gapBeforeMerge(question);
  if (before !== undefined) return { accepted: false, verdicts: [], gap: before, corrections: [] };
  const { criteria, open, known, wishes = [], kept, trace } = question;
  const merge = recordedAnswer('Merge', answer);
  if (merge === undefined) return unjudged(criteria);
  const { verdicts, corrections } = judgeCriteria({
    criteria,
    claims: withOwnIds(merge.verdicts, shownCalls(question.outcomes)),
    calls: question.outcomes.flatMap((it) => it.calls),
    proven: new Map(question.salvage.map(({ subtaskId }) => [subtaskId, kept?.get(subtaskId) ?? []])),
    wishes,
    ...(trace === undefined ? {} : { trace }),
    ...(open === undefined ? {} : { open }),
    known,
  });
  const accepted = areRequiredMet(criteria, verdicts);
  return { accepted, verdicts, gap: accepted ? '' : gapOf(question, verdicts), corrections };
}

/** Corrections of a round: attempts beyond the first of each subtask. Source: artoo A.6, A.8. */
export function correctionsIn(outcomes: readonly Pick<SubTaskOutcome, 'trajectory'>[]): number {
  return outcomes.reduce((sum, it) => sum + Math.max(0, it.trajectory.length - 1), 0);
}

function unjudged(criteria: readonly BusCriterion[]): TaskJudgement {
  const reason = 'the result could not be verified: the validator gave no usable verdicts';
  return { accepted: false, verdicts: unverified(criteria, reason), gap: reason, corrections: [reason] };
}

function gapOf({ criteria }: TaskQuestion, verdicts: readonly CriteriaVerdict[]): string {
  const unmet = verdicts.filter((it) => it.verdict !== 'Met' && criteria[it.index - 1]?.required === true);
  return joinedOnce(unmet.map((it) => `criterion ${it.index} is unmet: ${it.reason}`)).slice(0, GAP_CHARACTERS_MAX);
}
