/**
 * Credit of the cases that memory told a run: which of them a plan was shown, which it followed, and how that ended.
 *
 * I1  Only what the run's own messages say: what was recalled, the lines of an accepted plan, and the names that it cites.
 * I2  A run that a person, a policy or a broken machine ended credits nothing: its end says nothing of what was followed.
 *
 * Source: springdrift 5 (utility), 15; artoo A.11 (credit by the memories that a plan names).
 */
import type { CaseUsed } from '../parts/cases/cases.ts';
import { received, type RunState } from '../run/state.ts';
import { caseStatusOf } from './case-status.ts';

/** One for each case that was recalled, in the order of the recalls. */
export function caseCredit(state: RunState): readonly CaseUsed[] {
  const { concluded } = state;
  // A machine that broke makes a case, of what to look out for, and says nothing of the plan.
  const outcome = concluded === undefined || concluded.outcome === 'Failed' ? undefined : caseStatusOf(concluded);
  if (outcome === undefined) return [];
  const told = received(state, 'MemoryResponse').flatMap(({ payload: { cases = [] } }) => cases.map(({ id }) => id));
  const plans = received(state, 'DispatchManifest').map(({ payload }) => payload);
  const shown = new Set(plans.flatMap(({ memoryRefs }) => memoryRefs));
  // If nobody was asked which lines it follows, all lines that were shown count as followed.
  const cited = new Set(plans.flatMap(({ memoryRefs, basedOn = memoryRefs }) => basedOn));
  return [...new Set(told)].map((caseId) => ({ caseId, shown: shown.has(caseId), cited: cited.has(caseId), outcome }));
}
