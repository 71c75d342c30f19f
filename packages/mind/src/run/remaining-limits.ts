import type { BusMessageType } from '@retainer/contract/wire/bus/roles';
import type { CycleLimits } from '../cycle/event.ts';
import { totalTokens } from '../cycle/state.ts';
import type { ThinkingRole } from '@retainer/contract/api/roles';

import { unendedRoleCycles, unread, type RunState, type RoleCycle } from './state.ts';

/** Messages that start a model call of an executor or validator, in parallel with other subtasks. */
const wakesThinker: ReadonlySet<BusMessageType> = new Set(['SubTaskDispatch', 'CorrectionSignal', 'ExecutionResult']);

/** An executor leaves the rest of its share to the validators: a result without a verdict is worth nothing. */
const EXECUTOR_SHARE = 0.8;

/**
 * Limits of the next cycle: its own, and at most its share of the run's remaining budget. The remaining limits of
 * cycles under way count as used, so that parallel cycles never exceed the budget together. The free part is shared
 * evenly with the cycles that are about to begin, so that each gets something. Never below 0.
 *
 * Source: design 3 (budgets of a Task). Differs: only calls that ran count against the tool calls.
 */
export function remainingLimits(state: RunState, limits: CycleLimits, role: ThinkingRole): CycleLimits {
  const part = role === 'Executor' ? EXECUTOR_SHARE : 1;
  const { budget = {} } = state.spec;
  const pending = unendedRoleCycles(state).map((it) => it.spec.limits);
  const sharers = 1 + unread(state).filter((it) => wakesThinker.has(it.type)).length + state.retries.size;
  const reserved = (limit: 'tokens' | 'costUsd' | 'toolCalls'): number =>
    pending.reduce((sum, it) => sum + it[limit], 0);
  const share = (limit: number, total: number | undefined, used: number): number =>
    total === undefined ? limit : Math.max(0, Math.min(limit, (part * (total - used)) / sharers));
  // Only executors call tools, so they leave no calls to others.
  const toolCallsLeft = (limit: number): number =>
    Math.floor(share(limit, budget.toolCalls, callsThatRan(state) + reserved('toolCalls')) / part);
  return {
    ...limits,
    tokens: Math.floor(share(limits.tokens, budget.tokens, totalTokens(state.usage) + reserved('tokens'))),
    costUsd: share(limits.costUsd, budget.costUsd, state.costUsd + reserved('costUsd')),
    toolCalls: toolCallsLeft(limits.toolCalls),
  };
}

/** No budget is left for a model call. */
export function isBudgetUsedUp(state: RunState): boolean {
  const { budget = {} } = state.spec;
  return totalTokens(state.usage) >= (budget.tokens ?? Infinity) || state.costUsd >= (budget.costUsd ?? Infinity);
}

export function callsThatRan(state: RunState): number {
  const ran = ({ end }: RoleCycle): number => (end?.calls ?? []).filter((it) => it.status !== 'Unrun').length;
  return [...state.roleCycles.values()].reduce((sum, roleCycle) => sum + ran(roleCycle), 0);
}
