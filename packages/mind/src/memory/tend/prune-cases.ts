/**
 * Drops old failures that teach nothing: nobody knows what went wrong in them, and they hardly came near their goal.
 *
 * Source: springdrift 4 (pruning). Differs: what a person had a word on stays.
 */
import type { StoredCase } from '../../parts/cases/cases.ts';
import { inRecords, type Change, type Pass } from './change.ts';

const DAY_MS = 86_400_000;

/** Source: springdrift 4. */
const CONFIDENCE_MIN = 0.3;
const AGE_DAYS_MAX = 60;

const REASON = 'an old failure, of which nobody knows what went wrong';

export const pruneCases: Pass = function* ({ cases }, nowMs) {
  const ids: string[] = [];
  for (const it of cases.byId.values()) {
    yield;
    if (teachesNothing(it, nowMs)) ids.push(it.caseId);
  }
  return [...inRecords(ids)].map((some): Change => {
    return {
      reason: REASON,
      commands: [{ store: 'case', kind: 'CasePruned', payload: { ids: some, reason: REASON } }],
    };
  });
};

function teachesNothing({ outcome, writtenAtMs, isCurated }: StoredCase, nowMs: number): boolean {
  const { status, confidence, pitfalls } = outcome;
  if (isCurated || status !== 'Failure' || pitfalls.length > 0) return false;
  return confidence < CONFIDENCE_MIN && nowMs - writtenAtMs > AGE_DAYS_MAX * DAY_MS;
}
