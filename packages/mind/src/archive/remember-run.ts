/**
 * The entry of an ended run in the narrative: what the record says of it, and no word of a model or a gate.
 *
 * Source: springdrift 4 (metrics and delegations from telemetry; an entry for every end).
 */
import { totalTokens } from '../cycle/state.ts';
import type { RunRemembered } from '../parts/narrative/narrative.ts';
import type { RunTelemetry } from '../parts/narrative/run-telemetry.ts';
import type { RunLabels } from '../parts/threads/thread-rules.ts';
import { labelOfRun } from '../run/handed-on.ts';
import { callsOf, endsOf, sent, type RoleCycle, type RunState } from '../run/state.ts';
import { hasFailed } from '../run/verdict/acts.ts';

/** Subtasks in one entry; a run of more is told by its calls. */
const DELEGATIONS_MAX = 32;

/** @param labels  what it is about, see `archiveRun` */
export function rememberRun(state: RunState, labels: RunLabels): RunRemembered {
  const { spec, concluded, usage, startedAtMs, nowMs } = state;
  const telemetry = telemetryOf(state, labels);
  return {
    task: spec.task,
    conversation: spec.conversation,
    intent: spec.intent,
    ...(spec.label?.trust === 'Untrusted' ? { askedBy: 'Others' as const } : {}),
    outcome: concluded?.outcome ?? 'Failed',
    tools: telemetry.calls.map(({ tool }) => tool),
    tokens: totalTokens(usage),
    startedAtMs,
    endedAtMs: nowMs,
    label: labelOfRun(state),
    telemetry,
  };
}

function telemetryOf(state: RunState, labels: RunLabels): RunTelemetry {
  const cycles = [...state.roleCycles.values()];
  const ends = endsOf(state);
  const verdicts = (state.concluded?.criteria ?? []).map(({ verdict }) => verdict);
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = state.usage;
  return {
    models: [...new Set(cycles.map(({ spec }) => spec.model))],
    modelCalls: ends.reduce((sum, { modelCalls }) => sum + modelCalls, 0),
    usage: { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens },
    costUsd: state.costUsd,
    isCostComplete: state.isCostComplete,
    rounds: Math.max(0, ...sent(state, 'SubTask').map(({ round }) => round)),
    calls: callCounts(state),
    delegations: delegationsOf(state, cycles),
    verdicts: {
      met: verdicts.filter((it) => it === 'Met').length,
      unmet: verdicts.filter((it) => it === 'Unmet').length,
      unverified: verdicts.filter((it) => it === 'Unverified').length,
    },
    rejections: ends.reduce((sum, { rejections }) => sum + rejections.length, 0),
    waitedMs: state.waitedMs,
    labels: { domain: labels.domain, locations: [...labels.locations], keywords: [...labels.keywords] },
  };
}

function callCounts(state: RunState): RunTelemetry['calls'] {
  const all = callsOf(state);
  return [...new Set(all.map(({ tool }) => tool))].map((tool) => {
    const own = all.filter((it) => it.tool === tool);
    const ran = own.filter(({ status }) => status !== 'Unrun');
    const durationMs = ran.reduce((sum, it) => sum + it.durationMs, 0);
    return { tool, ran: ran.length, failed: ran.filter(hasFailed).length, unrun: own.length - ran.length, durationMs };
  });
}

function delegationsOf(state: RunState, cycles: readonly RoleCycle[]): RunTelemetry['delegations'] {
  const works = cycles.filter(({ purpose }) => purpose.role === 'Executor' && purpose.subtaskId !== undefined);
  const nameOf = ({ purpose }: RoleCycle): string => `${purpose.round} ${purpose.subtaskId}`;
  const firsts = works.filter((it, at) => works.findIndex((other) => nameOf(other) === nameOf(it)) === at);
  return firsts.slice(0, DELEGATIONS_MAX).map((first) => {
    const own = works.filter((it) => nameOf(it) === nameOf(first));
    const { round, subtaskId = '' } = first.purpose;
    const outcome = sent(state, 'SubTaskOutcome', round).find(({ payload }) => payload.subtaskId === subtaskId);
    const ends = own.flatMap(({ end }) => end ?? []);
    return {
      round,
      subtaskId,
      worker: first.spec.worker ?? 'Executor',
      ...(outcome === undefined ? {} : { status: outcome.payload.status }),
      attempts: own.length,
      calls: ends.flatMap(({ calls }) => calls).filter(({ status }) => status !== 'Unrun').length,
      tokens: ends.reduce((sum, { usage }) => sum + totalTokens(usage), 0),
    };
  });
}
