/**
 * Credit of the cases that memory told a run: which of them a plan was shown, which it followed, and how that ended.
 *
 * I1  Only what the run's own messages say: what was recalled, the lines of an accepted plan, and the names that it cites.
 * I2  A run that a person, a policy or a broken machine ended credits nothing: its end says nothing of what was followed.
 *
 * Source: springdrift 5 (utility), 15; artoo A.11 (credit by the memories that a plan names).
 */
import type { CaseStatus } from '../memory/case-rules.ts';
import type { CaseUsed } from '../memory/cases.ts';
import type { RunEventOf } from '../run/event.ts';
import { received, type RunState } from '../run/state.ts';

const ends: Readonly<Partial<Record<RunEventOf<'RunConcluded'>['outcome'], CaseStatus>>> = {
  Accepted: 'Success',
  Succeeded: 'Success',
  Abandoned: 'Failure',
};

/** One for each case that was recalled, in the order of the recalls. */
export function caseCredit(state: RunState): readonly CaseUsed[] {
  const { concluded } = state;
  const end = concluded === undefined ? undefined : ends[concluded.outcome];
  if (concluded === undefined || end === undefined) return [];
  const outcome = concluded.partial && end === 'Success' ? 'Partial' : end;
  const told = received(state, 'MemoryResponse').flatMap(({ payload: { cases = [] } }) => cases.map(({ id }) => id));
  const plans = received(state, 'DispatchManifest').map(({ payload }) => payload);
  const shown = new Set(plans.flatMap(({ memoryRefs }) => memoryRefs));
  // Where nobody was asked which lines it follows, all that were shown count as followed.
  const cited = new Set(plans.flatMap(({ memoryRefs, basedOn = memoryRefs }) => basedOn));
  return [...new Set(told)].map((caseId) => ({ caseId, shown: shown.has(caseId), cited: cited.has(caseId), outcome }));
}
