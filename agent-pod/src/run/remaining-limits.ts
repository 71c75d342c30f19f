import type { CycleLimits } from '../cycle/event.ts';
import { totalTokens } from '../cycle/state.ts';
import type { RunState } from './state.ts';

/**
 * Limits of the next cycle: its own, and no more than earlier cycles of the run have left of the run's budget. Never below 0.
 *
 * Source: design 3 (budgets of a Task). Differs: only calls that ran count against the tool calls.
 */
export function remainingLimits(state: RunState, limits: CycleLimits): CycleLimits {
  const { budget = {} } = state.spec;
  const ran = (state.execution?.evidence ?? []).filter((it) => it.outcome !== undefined).length;
  return {
    ...limits,
    tokens: left(limits.tokens, budget.tokens, totalTokens(state.usage)),
    costUsd: left(limits.costUsd, budget.costUsd, state.costUsd),
    toolCalls: left(limits.toolCalls, budget.toolCalls, ran),
  };
}

function left(limit: number, budget: number | undefined, used: number): number {
  return budget === undefined ? limit : Math.max(0, Math.min(limit, budget - used));
}
