/**
 * The first plan of a run is made before the run reads anything untrusted, and the record holds its digest. A plan after such a
 * reading may contain anything except a new way outside.
 *
 * Source: reliability-security 4 (plan then execute). Differs: a later plan is free in tools whose effect stays inside, since a
 * run that may only repeat what failed could not be steered; addresses are held to the Task's at the call (`flow-policies.ts`).
 */
import { recordedAnswer } from '../../request/answers.ts';
import type { KnownTools } from '../../gate/tool-facts.ts';
import { handedOn, isAskedByPeople } from '../handed-on.ts';
import { endedRoleCycles, type RunState } from '../state.ts';
import { toolName } from './plan.ts';

/** Outside tools that the first plan does not name; empty if it names none, and before an untrusted reading. */
export function unplannedTools(state: RunState, known: KnownTools): readonly string[] {
  if (handedOn(state) === undefined) return [];
  const planned = new Set(firstPlan(state).map(toolName));
  if (planned.size === 0) return [];
  const outward = state.spec.roles.Executor.tools.filter((tool) => known.factsOf(tool).reachesOutside);
  return outward.filter((tool) => !planned.has(toolName(tool)));
}

/**
 * Tools that the first plan names, if only the author of the Task influenced it. With a background, which may be
 * pasted, the plan may be a stranger's. Names are spelled as in the Agent; undefined when there are none.
 */
export function toolsPlannedFirst(state: RunState): readonly string[] | undefined {
  const { background, remembered = '' } = state.spec;
  if (background !== remembered || !isAskedByPeople(state.spec)) return undefined;
  const names = new Set(firstPlan(state).map(toolName));
  const planned = state.spec.roles.Executor.tools.filter((tool) => names.has(toolName(tool)));
  return planned.length === 0 ? undefined : planned;
}

/** The tools of the first plan; empty if there is no plan, or the plan names no tool: then the Task allows what the Agent does. */
function firstPlan(state: RunState): readonly string[] {
  const first = endedRoleCycles(state, 'Planner').findLast(
    ({ purpose, spec }) => purpose.round === 1 && spec.handedOn === undefined && spec.structured === 'Plan',
  );
  const plan = recordedAnswer('Plan', first?.end?.value);
  return plan?.subtasks.flatMap((it) => it.plannedTools) ?? [];
}
