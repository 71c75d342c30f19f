import type { RunRemembered } from '../memory/narrative.ts';
import type { RunState } from './state.ts';

/**
 * What is remembered of a concluded run: facts of the record alone, no model's words but the reply.
 *
 * I1  No word of a gate is in it: a refusal is an outcome, and later runs are told of it as that alone.
 *
 * Source: springdrift 15: notices that were remembered taught the model to refuse by itself.
 */
export function narrativeEntry(state: RunState): RunRemembered {
  const { spec, concluded, usage, roleCycles } = state;
  const isRefused = concluded?.outcome === 'Refused';
  const notices = [...roleCycles.values()]
    .flatMap((it) => it.end?.rejections ?? [])
    .flatMap((it) => [it.reason, it.rule]);
  const withoutNotices = (text: string): string => (notices.some((it) => text.includes(it)) ? '' : text);
  return {
    task: spec.task,
    intent: spec.intent,
    outcome: concluded?.outcome ?? 'Failed',
    summary: isRefused ? '' : withoutNotices(concluded?.summary ?? ''),
    tools: [...new Set([...roleCycles.values()].flatMap((it) => it.end?.calls ?? []).map((call) => call.tool))],
    unmet: (concluded?.unmet ?? []).filter((it) => withoutNotices(it) !== ''),
    reasons: isRefused ? [] : (concluded?.reasons ?? []).filter((it) => withoutNotices(it) !== ''),
    tokens: usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
    startedAtMs: state.startedAtMs,
    endedAtMs: state.nowMs,
  };
}
