/** What a run has tried, been told and used, as the steerer wants it: from its recorded messages, anew at each decision. */
import type { ThinkingRole } from '@retainer/contract/api/roles';
import { totalTokens } from '../cycle/state.ts';
import { deadlineOf } from './deadline.ts';
import { endedRoleCycles, received, sent, type RunState } from './state.ts';
import type { Attempt, RunHistory, RunUse, Step, Use } from './steer/parts.ts';

/** @returns undefined before the first plan */
export function historyOf(state: RunState): RunHistory | undefined {
  const steps = stepsOf(state);
  if (steps.length === 0) return undefined;
  return {
    people: state.spec.criteria,
    steps,
    judged: judgedOf(state),
    advised: advisedOf(state),
    used: useOf(state),
    leftMs: deadlineOf(state) - state.nowMs,
  };
}

function stepsOf(state: RunState): readonly Step[] {
  const results = received(state, 'ExecutionResult');
  const points = new Map(state.judged.map((it) => [`${it.subtaskId ?? ''} ${it.attempt ?? 0}`, it.point]));
  const matched = new Set(
    received(state, 'SubTaskOutcome').flatMap(({ payload }) =>
      payload.status === 'Matched' ? [payload.subtaskId] : [],
    ),
  );
  return sent(state, 'SubTask').map(({ round, payload: { subtaskId, intent, criteria } }) => ({
    subtaskId,
    round,
    intent,
    criteria,
    attempts: results
      .filter((it) => it.payload.subtaskId === subtaskId)
      .map(({ payload: { attempt, calls } }) => attemptOf(calls, points.get(`${subtaskId} ${attempt}`))),
    isMatched: matched.has(subtaskId),
  }));
}

function attemptOf(calls: Attempt['calls'], point: RunState['judged'][number]['point']): Attempt {
  if (point === undefined) return { calls, score: 0 };
  return { calls, failureClass: point.failureClass, score: point.score };
}

function judgedOf(state: RunState): RunHistory['judged'] {
  const judged = [...received(state, 'ReplanRequest'), ...received(state, 'OutcomeSummary')];
  return judged.flatMap(({ round, payload: { taskVerdicts } }) => {
    if (taskVerdicts.length === 0) return [];
    const criteria = sent(state, 'DispatchManifest', round).at(-1)?.payload.criteria ?? [];
    const open = taskVerdicts.flatMap(({ index, verdict, failureClass }) => {
      const criterion = criteria[index - 1];
      if (criterion === undefined || !criterion.required || verdict === 'Met') return [];
      return [{ text: criterion.text, isRefused: verdict === 'Unmet' && failureClass !== 'Infrastructure' }];
    });
    const refused = open.filter((it) => it.isRefused);
    return [{ round, open: open.map((it) => it.text), refused: refused.map((it) => it.text) }];
  });
}

function advisedOf(state: RunState): RunHistory['advised'] {
  return sent(state, 'PlanDirective').flatMap(({ round, payload: { parts } }) =>
    parts === undefined ? [] : [{ round, parts }],
  );
}

function useOf(state: RunState): RunUse {
  const executions = used(state, 'Executor');
  return {
    plan: used(state, 'Planner'),
    attempt: { tokens: executions.tokens + used(state, 'AgentValidator').tokens, times: executions.times },
    merge: used(state, 'MetaValidator'),
  };
}

function used(state: RunState, role: ThinkingRole): Use {
  const ended = endedRoleCycles(state, role).filter((it) => it.spec.structured !== 'AbandonReport');
  return {
    tokens: ended.reduce((sum, it) => sum + (it.end === undefined ? 0 : totalTokens(it.end.usage)), 0),
    times: ended.length,
  };
}
