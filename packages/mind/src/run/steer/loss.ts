/**
 * Ω and the weighted sums.
 *
 * Source: artoo A.9 (Ω, L, ∇L).
 */
import { durationMs } from '@retainer/contract/api/fields';
import { maxReplansOf, type AgentControl } from '@retainer/contract/api/agent-control';
import type { Loss } from '@retainer/contract/wire/bus/payloads';

/** What a run has used, and what it may use. */
export interface ResourceUse {
  /** Failed rounds, including this one. */
  readonly rounds: number;
  /** Since the first plan of the run. */
  readonly elapsedMs: number;
  readonly nowMs: number;
  readonly deadlineMs?: number;
  /** Absent when the Task has no token budget. */
  readonly tokens?: { readonly used: number; readonly budget: number };
}

/**
 * Ω, 0 to 1. Its parts are not capped one by one.
 *
 * Source: artoo A.9. Besides in profile `Spec`, tokens weigh as much as time, and the weights are scaled to their old sum; the
 * source names no weight for them.
 */
export function resourceCost(control: AgentControl, use: ResourceUse): number {
  const { w1, w2 } = control.weights;
  const base =
    weighted(w1, use.rounds, maxReplansOf(control)) + weighted(w2, use.elapsedMs, timeBudgetMs(control, use));
  const { tokens } = use;
  if (control.profile === 'Spec' || tokens === undefined) return ratio(base);
  const scale = (w1 + w2) / (w1 + w2 + w2);
  return ratio((base + weighted(w2, tokens.used, tokens.budget)) * scale);
}

/**
 * The shorter of the configured time and the time from the first plan to the deadline. Both are compared with the elapsed time,
 * so both
 * start with it. Source: artoo A.9.
 */
function timeBudgetMs(control: AgentControl, { nowMs, elapsedMs, deadlineMs }: ResourceUse): number {
  const configuredMs = durationMs(control.timeBudget);
  return deadlineMs === undefined ? configuredMs : Math.min(configuredMs, deadlineMs - (nowMs - elapsedMs));
}

/** Any use of an empty budget is infinite. A clock that ran backwards used nothing. */
function weighted(weight: number, used: number, budget: number): number {
  if (weight === 0 || !(used > 0)) return 0;
  return budget > 0 ? weight * (used / budget) : Infinity;
}

/** L = αD + β(1−Ω)P + λΩ, and Q = αD + βP, the part that time alone does not change. */
export function lossOf(weights: AgentControl['weights'], { d, p, omega }: Pick<Loss, 'd' | 'p' | 'omega'>): Loss {
  const { alpha, beta, lambda } = weights;
  const l = alpha * d + beta * (1 - omega) * p + lambda * omega;
  return { d, p, omega, l: ratio(l), q: ratio(alpha * d + beta * p) };
}

/** Change since the previous round; 0 in the first. */
export function gradient(now: number, before: number | undefined): number {
  return before === undefined ? 0 : now - before;
}

function ratio(value: number): number {
  return Math.min(1, Math.max(0, value));
}
