/**
 * The first plan of a run is made before anything untrusted is read, and its digest stands in the record. What is planned after such
 * a reading may be anything but a new way outside.
 *
 * Source: reliability-security 4 (plan then execute). Differs: a later plan is free in tools whose effect stays inside, since a
 * run that may only repeat what failed could not be steered; addresses are held to the Task's at the call (`flow-policies.ts`).
 */
import { Plan } from '../../assemble/role-answers.ts';
import type { KnownTools } from '../../gate/tool-facts.ts';
import { handedOn } from '../handed-on.ts';
import { endedRoleCycles, type RunState } from '../state.ts';
import { toolName } from './plan.ts';

/** Tools that reach outside and that the first plan does not name, where it names any; none before an untrusted reading. */
export function unplannedTools(state: RunState, known: KnownTools): readonly string[] {
  if (handedOn(state) === undefined) return [];
  const planned = new Set(firstPlan(state).map(toolName));
  if (planned.size === 0) return [];
  const outward = state.spec.roles.Executor.tools.filter((tool) => known.factsOf(tool).reachesOutside);
  return outward.filter((tool) => !planned.has(toolName(tool)));
}

/**
 * Tools that the first plan names, where nobody but the author of the Task had a word in it: with a background, which may be pasted,
 * a plan may be a stranger's. As the Agent calls them; undefined where there are none.
 */
export function toolsPlannedFirst(state: RunState): readonly string[] | undefined {
  const { background, remembered = '' } = state.spec;
  if (background !== remembered) return undefined;
  const names = new Set(firstPlan(state).map(toolName));
  const planned = state.spec.roles.Executor.tools.filter((tool) => names.has(toolName(tool)));
  return planned.length === 0 ? undefined : planned;
}

/** Its tools. Empty where one step needed no plan, and where the plan named none: the Task allows what the Agent allows then. */
function firstPlan(state: RunState): readonly string[] {
  const first = endedRoleCycles(state, 'Planner').findLast(
    ({ purpose, spec }) => purpose.round === 1 && spec.handedOn === undefined && spec.structured === 'Plan',
  );
  const plan = Plan.safeParse(first?.end?.value);
  return plan.success ? plan.data.subtasks.flatMap((it) => it.plannedTools) : [];
}
