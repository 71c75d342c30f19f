import type { RunRemembered } from '../memory/narrative.ts';
import type { RunState } from './state.ts';

/**
 * The memory of a concluded run: only facts of the record, and of a model's words only the reply.
 *
 * I1  It contains no words of a gate. Later runs learn of a refusal only as an outcome.
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
