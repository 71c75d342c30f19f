/** The narrative: one entry per finished run, in the agent's own order of life. */
import { z } from 'zod';
import { Label } from '../gate/provenance/label.ts';
import type { RunState } from '../run/state.ts';

export const narrativeKinds = {
  RunRemembered: z.object({
    task: z.object({ namespace: z.string(), name: z.string() }),
    intent: z.string(),
    outcome: z.string(),
    summary: z.string(),
    /** Distinct names, in the order of first use. */
    tools: z.array(z.string()),
    unmet: z.array(z.string()),
    reasons: z.array(z.string()),
    tokens: z.number(),
    startedAtMs: z.number(),
    endedAtMs: z.number(),
    /** Of all that the run had read. Absent in records from before there were labels: untrusted. */
    label: Label.exactOptional(),
  }),
} as const;
export type RunRemembered = z.infer<(typeof narrativeKinds)['RunRemembered']>;

/**
 * What is remembered of a concluded run: facts of the record alone, no model's words but the reply.
 *
 * I1  No word of a gate is in it: a refusal is an outcome, and later runs are told of it as that alone.
 *
 * Source: springdrift 15.1 (2): notices that were remembered taught the model to refuse by itself.
 */
export function narrativeEntry(state: RunState): RunRemembered {
  const { spec, concluded, usage, thoughts } = state;
  const isRefused = concluded?.outcome === 'Refused';
  const notices = [...thoughts.values()]
    .flatMap((it) => it.end?.rejections ?? [])
    .flatMap((it) => [it.reason, it.rule]);
  const withoutNotices = (text: string): string => (notices.some((it) => text.includes(it)) ? '' : text);
  return {
    task: spec.task,
    intent: spec.intent,
    outcome: concluded?.outcome ?? 'Failed',
    summary: isRefused ? '' : withoutNotices(concluded?.summary ?? ''),
    tools: [...new Set([...thoughts.values()].flatMap((it) => it.end?.calls ?? []).map((call) => call.tool))],
    unmet: (concluded?.unmet ?? []).filter((it) => withoutNotices(it) !== ''),
    reasons: isRefused ? [] : (concluded?.reasons ?? []).filter((it) => withoutNotices(it) !== ''),
    tokens: usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
    startedAtMs: state.startedAtMs,
    endedAtMs: state.nowMs,
  };
}
