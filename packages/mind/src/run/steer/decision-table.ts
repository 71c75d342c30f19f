/**
 * The decision after a round: 24 cells, selected by four questions.
 *
 * Source: artoo A.9 (decision; the printed table and its cascade).
 */
import type { AgentControl } from '@retainer/contract/api/agent-control';
import type { Directive } from '@retainer/contract/api/task-status';
import { invariant } from '@retainer/contract/std/invariant';
import { isAbove, isBelow } from './threshold.ts';

/** Trend of the gradient. It selects no directive: it says how urgent one is. Source: artoo A.19. */
export type Trend = 'Improving' | 'Plateau' | 'Worsening';

export interface Signs {
  readonly trend: Trend;
  /** D ≤ δ. */
  readonly isNear: boolean;
  /** P > ρ: the approach is to blame, not the environment. */
  readonly isLogical: boolean;
  /** Ω ≥ θ. */
  readonly isSpent: boolean;
}

/** Numbered from 1, as in the source. */
interface Cell extends Signs {
  readonly cell: number;
  readonly directive: TableDirective;
}

/** The directives of the table; `Accept` has its own path. */
export type TableDirective = Exclude<Directive, 'Accept'>;

/** In the source's order: near before far, time left before spent, environment before logic. */
const rows: readonly (readonly [isNear: boolean, isSpent: boolean, isLogical: boolean])[] = [
  [true, false, false],
  [true, false, true],
  [true, true, false],
  [true, true, true],
  [false, false, false],
  [false, false, true],
  [false, true, false],
  [false, true, true],
];

/** By trend, in the order of `rows`. */
const printed: Readonly<Record<Trend, readonly TableDirective[]>> = {
  Improving: ['Success', 'Success', 'Abandon', 'Abandon', 'Refine', 'ChangeApproach', 'Abandon', 'Abandon'],
  Plateau: ['Success', 'Success', 'Abandon', 'Abandon', 'ChangePath', 'BreakSymmetry', 'Abandon', 'Abandon'],
  Worsening: ['Success', 'Success', 'Abandon', 'Abandon', 'Refine', 'ChangeApproach', 'Abandon', 'Abandon'],
};

const trends: readonly Trend[] = ['Improving', 'Plateau', 'Worsening'];

export const DECISION_TABLE: readonly Cell[] = trends.flatMap((trend, block) =>
  rows.map(([isNear, isSpent, isLogical], row) => ({
    cell: block * rows.length + row + 1,
    trend,
    isNear,
    isSpent,
    isLogical,
    directive: printed[trend][row] ?? 'Abandon',
  })),
);

/** The number of the cell for these signs. */
export function cellOf({ trend, isNear, isLogical, isSpent }: Signs): number {
  const found = DECISION_TABLE.find(
    (it) => it.trend === trend && it.isNear === isNear && it.isLogical === isLogical && it.isSpent === isSpent,
  );
  invariant(found !== undefined, 'the decision table has a cell for all signs');
  return found.cell;
}

/** The same table as a cascade; the first line that fits decides. */
export function directiveOf({ trend, isNear, isLogical, isSpent }: Signs): TableDirective {
  if (isSpent) return 'Abandon';
  if (isNear) return 'Success';
  if (trend === 'Plateau') return isLogical ? 'BreakSymmetry' : 'ChangePath';
  return isLogical ? 'ChangeApproach' : 'Refine';
}

type Thresholds = AgentControl['thresholds'];

/** On equality: D = δ is near, P = ρ is environmental, Ω = θ is spent. */
export function signsOf(
  {
    d,
    p,
    omega,
    gradient,
  }: { readonly d: number; readonly p: number; readonly omega: number; readonly gradient: number },
  { epsilon, delta, rho, theta }: Thresholds,
): Signs {
  return {
    trend: trendOf(gradient, epsilon),
    isNear: !isAbove(d, delta),
    isLogical: isAbove(p, rho),
    isSpent: !isBelow(omega, theta),
  };
}

/** A change of exactly ε is a signal. No change is none, however small ε is. */
export function trendOf(gradient: number, epsilon: number): Trend {
  const size = Math.abs(gradient);
  if (isBelow(size, epsilon) || !isAbove(size, 0)) return 'Plateau';
  return gradient < 0 ? 'Improving' : 'Worsening';
}
