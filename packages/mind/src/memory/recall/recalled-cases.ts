/**
 * Cases for a task: those that fit its words and whose own Task was a neighbour of this one. What is told needs no index any more.
 *
 * Source: springdrift 5; artoo C (content of cases, sign and weight of megrams; Avoid makes a pitfall).
 */
import type { RecalledCase } from '@retainer/contract/wire/bus/recalled-case';
import type { StoredCase } from '../../parts/cases/cases.ts';
import { NEIGHBOUR_MIN, type IntentComparison } from './intent-comparison.ts';
import type { TextVector } from '../../meaning/text-vector.ts';
import type { CaseExperience } from './case-experience.ts';
import type { CaseIndex, FoundCase } from './case-index.ts';
import { caseLesson, teaches } from './case-lesson.ts';
import type { Weights } from './presets.ts';
import type { Problem, RecallCase } from './recall-case.ts';

export interface CaseRecall {
  /** In the words of the Task. */
  readonly intent: string;
  readonly problem: Problem;
  readonly vector?: TextVector | undefined;
  readonly weights: Weights;
  readonly minScore: number;
  readonly count: number;
  /** Undefined: it is out of use. */
  readonly caseOf: (id: string) => StoredCase | undefined;
  readonly experience: CaseExperience;
  readonly comparison: IntentComparison;
}

/**
 * Likeness from which a way that worked is told. A warning that is out of place costs a line; a way that is out of place misleads, and
 * stands as private memory among the instructions of work that may ask outside. Of 171 pairs of everyday Tasks 15 are neighbours, and
 * 6 are above.
 */
const FOLLOWED_MIN = 0.6;

/** Factor on the number of cases looked at, because some may be out of use, or strangers in spite of some words. */
const LOOKED_AT = 4;

/** Best first. */
export function recalledCases(index: CaseIndex, asked: CaseRecall): readonly RecalledCase[] {
  const { problem, vector, weights, minScore, count, caseOf, experience } = asked;
  const decisionOn = (id: string): number => {
    const it = caseOf(id);
    return it === undefined ? 0 : (experience(it)?.decision ?? 0);
  };
  const { found } = index.find({ problem, vector, weights, minScore, count: count * LOOKED_AT, decisionOn });
  return found.flatMap((it) => told(it, asked)).slice(0, count);
}

function told(
  { id, score, signals, decision, matched }: FoundCase,
  { intent, caseOf, experience, comparison }: CaseRecall,
): readonly RecalledCase[] {
  const stored = caseOf(id);
  if (stored === undefined || !teaches(stored)) return [];
  const { category, outcome } = stored;
  const avoid = experience(stored)?.action === 'Avoid';
  const isWarning = avoid || outcome.status === 'Failure';
  if (comparison.similarity(intent, stored.problem.input) < (isWarning ? NEIGHBOUR_MIN : FOLLOWED_MIN)) return [];
  return [
    {
      id,
      ...caseLesson(stored),
      category,
      outcome: outcome.status,
      score,
      signals: { ...signals },
      ...(decision === 0 ? {} : { decision }),
      matched: [...matched],
      avoid,
    },
  ];
}

/** A case as the index takes it. */
export function recallCaseOf(it: StoredCase, used: Pick<RecallCase, 'shown' | 'succeeded'>): RecallCase {
  const { caseId, problem, writtenAtMs } = it;
  const { input, intent, domain, keywords, entities } = problem;
  return { id: caseId, intent, domain, keywords, entities, text: input, writtenAtMs, ...used };
}
