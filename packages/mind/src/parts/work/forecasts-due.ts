/**
 * Which open work is scored now, and for which of it a new plan is suggested.
 *
 * I1  A subject is suggested at most once in {@link SUGGESTION_COOL_DOWN_MS}, whatever its score does.
 * I2  A score that did not change is not recorded again.
 *
 * Source: springdrift 8. Differs: there it suggests the same at every tick.
 */
import { isOver, type Endeavour } from './endeavour.ts';
import { scored, type Forecast, type Scored } from './forecast.ts';
import { isEnded, type WorkItem } from './item.ts';
import { endeavourMagnitudes, itemMagnitudes } from './magnitudes.ts';
import type { Work } from './work-state.ts';

/** D′ from which on a new plan is suggested, where neither Agent nor endeavour names another. Source: springdrift 8. */
export const REPLAN_THRESHOLD = 0.55;

/** Cycles before an item is scored: after one, nothing can be said of its pace. Source: springdrift 8. */
const CYCLES_MIN = 2;

/** A day: who plans anew needs some work to see whether it helps. */
export const SUGGESTION_COOL_DOWN_MS = 86_400_000;

export interface ForecastDue extends Scored {
  readonly subject: 'Item' | 'Endeavour';
  readonly id: string;
  /** A new plan is to be suggested, now. */
  readonly suggests: boolean;
  /** From which score on. */
  readonly threshold: number;
}

/** An item is scored once it was worked on; an endeavour, once it has phases. */
export const isScored = {
  item: (item: WorkItem): boolean => item.status === 'Active' && item.cycles >= CYCLES_MIN,
  endeavour: ({ status, phases }: Endeavour): boolean =>
    (status === 'Active' || status === 'Blocked') && phases.length > 0,
} as const;

export function itemForecast(item: WorkItem, work: Work): Scored {
  const endeavour = item.endeavourId === undefined ? undefined : work.endeavours.get(item.endeavourId);
  return scored(itemMagnitudes(item, work), endeavour?.featureOverrides);
}

export function endeavourForecast(endeavour: Endeavour): Scored {
  return scored(endeavourMagnitudes(endeavour), endeavour.featureOverrides);
}

/** From which score on a new plan is suggested. @param ofAgent  where the endeavour has none of its own, or there is no endeavour */
export function thresholdOf(
  { endeavours }: Pick<Work, 'endeavours'>,
  endeavourId: string | undefined,
  ofAgent: number,
): number {
  return (endeavourId === undefined ? undefined : endeavours.get(endeavourId)?.thresholdOverride) ?? ofAgent;
}

/** @param threshold  of the Agent; an endeavour may have its own, for its items, too */
export function forecastsDue(work: Work, nowMs: number, threshold = REPLAN_THRESHOLD): readonly ForecastDue[] {
  const items = [...work.items.values()].filter((it) => !isEnded(it) && isScored.item(it));
  const endeavours = [...work.endeavours.values()].filter((it) => !isOver(it) && isScored.endeavour(it));
  const own = (id: string | undefined): number => thresholdOf(work, id, threshold);
  return [
    ...items.flatMap((it) => {
      const of = { subject: 'Item', id: it.itemId, threshold: own(it.endeavourId) } as const;
      return due({ ...of, ...itemForecast(it, work) }, it.forecast, nowMs);
    }),
    ...endeavours.flatMap((it) => {
      const of = { subject: 'Endeavour', id: it.endeavourId, threshold: own(it.endeavourId) } as const;
      return due({ ...of, ...endeavourForecast(it) }, it.forecast, nowMs);
    }),
  ];
}

function due(now: Omit<ForecastDue, 'suggests'>, before: Forecast | undefined, nowMs: number): readonly ForecastDue[] {
  const suggestedAtMs = before?.suggestedAtMs;
  const isCool = suggestedAtMs === undefined || nowMs - suggestedAtMs >= SUGGESTION_COOL_DOWN_MS;
  const suggests = now.score >= now.threshold && isCool;
  return suggests || !isSame(now, before) ? [{ ...now, suggests }] : [];
}

/** By the numbers that the score follows from. */
function isSame({ breakdown }: Scored, before: Forecast | undefined): boolean {
  if (before === undefined || before.breakdown.length !== breakdown.length) return false;
  return breakdown.every(({ feature, magnitude, rationale }, at) => {
    const other = before.breakdown[at];
    return other?.feature === feature && other.magnitude === magnitude && other.rationale === rationale;
  });
}
