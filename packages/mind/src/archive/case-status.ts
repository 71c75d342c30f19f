/** How the end of a run counts for cases: the one that it makes, and those that it followed. */
import type { CaseStatus } from '../parts/cases/case-rules.ts';
import type { RunEventOf } from '../run/event.ts';

type Concluded = RunEventOf<'RunConcluded'>;

const statuses: Readonly<Partial<Record<Concluded['outcome'], CaseStatus>>> = {
  Accepted: 'Success',
  Succeeded: 'Success',
  Abandoned: 'Failure',
  Failed: 'Failure',
};

/** Undefined: the run was stopped or refused, which says nothing of what it did. */
export function caseStatusOf({ outcome, partial }: Pick<Concluded, 'outcome' | 'partial'>): CaseStatus | undefined {
  const status = statuses[outcome];
  return partial && status === 'Success' ? 'Partial' : status;
}
