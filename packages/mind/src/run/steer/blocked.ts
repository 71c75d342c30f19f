/**
 * Decides which tools and targets the next plan may not use.
 *
 * I1  Never both lists: targets when the environment is to blame, tools when the approach is.
 * I2  Targets stay blocked for the whole run, in the order of their failures.
 * I3  The last tool that can serve the task is spared once. If it fails again, no tool is left.
 * I4  What people named is never blocked.
 *
 * Source: artoo A.9 (directive payload), A.17.
 */
import type { Directive } from '@retainer/contract/api/task-status';
import type { Blocked, SubTaskOutcome, ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { isFailed } from './judged.ts';
import type { SteerState } from './steer-state.ts';

type BlockState = Pick<SteerState, 'blockedTargets' | 'blockedTools' | 'sparedTool'>;

export interface Blocking {
  readonly blocked: Blocked;
  readonly next: BlockState;
  /** All tools that could serve the task have failed. */
  readonly isNoToolLeft: boolean;
}

export interface BlockRules {
  readonly candidateTools: readonly string[];
  /** Whether a tool stays blocked for the whole run. */
  readonly accumulate: boolean;
  /** The task in the people's words. Whatever it names is needed, and is never blocked. */
  readonly given: string;
}

/** The list that a directive fills. */
const blocks: Readonly<Record<Directive, 'Targets' | 'Tools' | 'Nothing'>> = {
  Retry: 'Nothing',
  Refine: 'Targets',
  ChangePath: 'Targets',
  ChangeApproach: 'Tools',
  BreakSymmetry: 'Tools',
  Accept: 'Nothing',
  Success: 'Nothing',
  Abandon: 'Nothing',
};

export function block(
  state: BlockState,
  directive: Directive,
  outcomes: readonly SubTaskOutcome[],
  rules: BlockRules,
): Blocking {
  switch (blocks[directive]) {
    case 'Targets': {
      const targets = distinct([...state.blockedTargets, ...failedTargets(outcomes, rules.given)]);
      return { blocked: { tools: [], targets }, next: { ...state, blockedTargets: targets }, isNoToolLeft: false };
    }
    case 'Tools':
      return blockTools(state, distinct(blamedCalls(outcomes).map((it) => it.tool)), rules);
    case 'Nothing':
      return { blocked: { tools: [], targets: [] }, next: state, isNoToolLeft: false };
  }
}

function blockTools(state: BlockState, blamed: readonly string[], rules: BlockRules): Blocking {
  const earlier = rules.accumulate ? state.blockedTools : [];
  const wanted = distinct([...earlier, ...blamed]);
  const spared = spareLast(wanted, earlier, rules.candidateTools);
  const tools = wanted.filter((it) => it !== spared.tool);
  const kept = rules.accumulate ? tools : [];
  return {
    blocked: { tools, targets: [] },
    next: { ...state, blockedTools: kept, ...(spared.tool === undefined ? {} : { sparedTool: spared.tool }) },
    isNoToolLeft:
      spared.isNoneLeft || (rules.accumulate && spared.tool !== undefined && spared.tool === state.sparedTool),
  };
}

/** Spares the newly blocked tool that was blamed last: it had the least chance. */
function spareLast(
  wanted: readonly string[],
  earlier: readonly string[],
  candidates: readonly string[],
): { readonly tool?: string; readonly isNoneLeft: boolean } {
  const isAllBlocked = candidates.length > 0 && candidates.every((it) => wanted.includes(it));
  if (!isAllBlocked) return { isNoneLeft: false };
  const tool = wanted.findLast((it) => candidates.includes(it) && !earlier.includes(it));
  return tool === undefined ? { isNoneLeft: true } : { tool, isNoneLeft: false };
}

function failedTargets(outcomes: readonly SubTaskOutcome[], given: string): readonly string[] {
  return blockableCalls(outcomes, given).map(({ target }) => target);
}

/**
 * Calls whose target may be blocked.
 *
 * Differs: the source blocks whatever a failed subtask touched, and only tells a model so. Here a blocked target is refused, so
 * what the task itself names, and what a call wrote, stays open: without it no plan could succeed.
 */
export function blockableCalls(
  outcomes: readonly SubTaskOutcome[],
  given: string,
): readonly (ToolCallRecord & { readonly target: string })[] {
  return blamedCalls(outcomes).flatMap((call) => {
    const { target = '', files } = call;
    return target === '' || files.length > 0 || given.includes(target) ? [] : [{ ...call, target }];
  });
}

/** Without those of an outcome that nobody could judge, or whose words nothing shows: the work itself may be right. */
function blamedCalls(outcomes: readonly SubTaskOutcome[]): readonly ToolCallRecord[] {
  return failedCalls(outcomes.filter((it) => it.failureClass !== 'Unverified'));
}

/** Calls of failed outcomes, in the order of the outcomes. */
export function failedCalls(outcomes: readonly SubTaskOutcome[]): readonly ToolCallRecord[] {
  return outcomes.filter(isFailed).flatMap((it) => it.calls);
}

export function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
