/**
 * What is seen of open work, as numbers from 0 to 3. Every number of springdrift 8 stands here and nowhere else. No model is asked.
 *
 * Source: springdrift 8.
 */
import { openBlockers, plannedSessions, type Endeavour } from './endeavour.ts';
import type { Magnitudes, Seen } from './forecast.ts';
import { complexityOf, stepsDone, type Complexity, type WorkItem } from './item.ts';
import type { Work } from './work-state.ts';

const MAGNITUDE_MAX = 3;

/** Cycles from whose excess on an item has drifted from its complexity: a little, and far. */
const DRIFT_CYCLES: Readonly<Record<Complexity, { readonly some: number; readonly much: number }>> = {
  Simple: { some: 3, much: 5 },
  Medium: { some: 6, much: 8 },
  Complex: { some: 10, much: 12 },
};

const counted = (count: number, what: string): Seen => ({
  magnitude: Math.min(count, MAGNITUDE_MAX),
  rationale: `${count} ${what}`,
});

/** What 8.4 has no number for. */
const nothing = (what: string): Seen => ({ magnitude: 0, rationale: what });

export function itemMagnitudes(item: WorkItem, work: Pick<Work, 'items' | 'ended'>): Magnitudes {
  return {
    StepCompletionRate: stepRate(item),
    DependencyHealth: counted(unfinished(item, work).length, 'items that it waits for are not complete'),
    ComplexityDrift: drift(item),
    RiskMaterialization: counted(
      item.risks.filter(({ hasMaterialised }) => hasMaterialised).length,
      'of its risks have come true',
    ),
    ScopeCreep: nothing('the scope of an item is its steps'),
  };
}

/** Items that it waits for and that are not complete; one that is deleted or left memory holds up nothing. */
export function unfinished(
  { dependsOn }: Pick<WorkItem, 'dependsOn'>,
  { items, ended }: Pick<Work, 'items' | 'ended'>,
): readonly WorkItem[] {
  return dependsOn.flatMap((id) => {
    const other = items.get(id) ?? ended.get(id);
    return other === undefined || other.status === 'Complete' ? [] : [other];
  });
}

function stepRate(item: WorkItem): Seen {
  const { cycles, steps } = item;
  const done = stepsDone(item);
  const rate = cycles / steps.length;
  const rationale = `${cycles} cycles for ${steps.length} steps, of which ${done} are complete`;
  if (rate > 2 && done < steps.length / 2) return { magnitude: 3, rationale };
  if (rate > 1.5 && done < steps.length) return { magnitude: 2, rationale };
  return { magnitude: 0, rationale };
}

function drift(item: WorkItem): Seen {
  const complexity = complexityOf(item);
  const { some, much } = DRIFT_CYCLES[complexity];
  const rationale = `${item.cycles} cycles for an item of complexity ${complexity}`;
  if (item.cycles > much) return { magnitude: 3, rationale };
  return { magnitude: item.cycles > some ? 2 : 0, rationale };
}

export function endeavourMagnitudes(endeavour: Endeavour): Magnitudes {
  return {
    StepCompletionRate: sessionOverrun(endeavour),
    DependencyHealth: counted(openBlockers(endeavour).length, 'blockers are not resolved'),
    ComplexityDrift: counted(endeavour.replanCount, 'changes of the plan after the work began'),
    RiskMaterialization: nothing('risks belong to its items'),
    ScopeCreep: growth(endeavour),
  };
}

function sessionOverrun(endeavour: Endeavour): Seen {
  const estimated = plannedSessions(endeavour);
  const actual = endeavour.phases.reduce((sum, { actualSessions }) => sum + actualSessions, 0);
  const rationale = `${actual} sessions, where ${estimated} were planned`;
  if (actual <= estimated) return { magnitude: 0, rationale };
  // Whole numbers: 6 of 5 sessions are exactly 20 % too many.
  const excess = (actual - estimated) * 100;
  if (excess > 50 * estimated) return { magnitude: 3, rationale };
  return { magnitude: excess > 20 * estimated ? 2 : 1, rationale };
}

function growth({ phases, originalPhaseCount }: Endeavour): Seen {
  const more = phases.length - originalPhaseCount;
  const rationale = `${phases.length} phases, where ${originalPhaseCount} were planned`;
  if (more <= 0) return { magnitude: 0, rationale };
  return { magnitude: more === 1 ? 1 : 3, rationale };
}
