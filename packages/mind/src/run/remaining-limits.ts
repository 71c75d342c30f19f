import type { BusMessageType } from '@retainer/contract/wire/bus/roles';
import type { CycleLimits } from '../cycle/event.ts';
import { totalTokens } from '../cycle/state.ts';
import type { ThinkingRole } from '@retainer/contract/api/roles';

import { unendedRoleCycles, unread, type RunState, type RoleCycle } from './state.ts';

/** Words on which a subtask's executor or validator begins to think, beside those of other subtasks. */
const wakesThinker: ReadonlySet<BusMessageType> = new Set(['SubTaskDispatch', 'CorrectionSignal', 'ExecutionResult']);

/** An executor leaves the rest of its share for whoever judges its work: a result that nobody can judge is worth nothing. */
const EXECUTOR_SHARE = 0.8;

/**
 * Limits of the next cycle: its own, and no more than its share of what the run's budget has left. What cycles under way may
 * still use counts as used, so that cycles side by side never exceed the budget together; what is free is shared evenly with
 * those that are about to begin, so that none of them gets nothing. Never below 0.
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
  // Only executors call tools: they leave none for others.
  const toolCallsLeft = (limit: number): number =>
    Math.floor(share(limit, budget.toolCalls, callsThatRan(state) + reserved('toolCalls')) / part);
  return {
    ...limits,
    tokens: Math.floor(share(limits.tokens, budget.tokens, totalTokens(state.usage) + reserved('tokens'))),
    costUsd: share(limits.costUsd, budget.costUsd, state.costUsd + reserved('costUsd')),
    toolCalls: toolCallsLeft(limits.toolCalls),
  };
}

/** Nothing is left to think with. */
export function isBudgetUsedUp(state: RunState): boolean {
  const { budget = {} } = state.spec;
  return totalTokens(state.usage) >= (budget.tokens ?? Infinity) || state.costUsd >= (budget.costUsd ?? Infinity);
}

function callsThatRan(state: RunState): number {
  const ran = ({ end }: RoleCycle): number => (end?.calls ?? []).filter((it) => it.status !== 'Unrun').length;
  return [...state.roleCycles.values()].reduce((sum, roleCycle) => sum + ran(roleCycle), 0);
}
