/** Translates the events of cycles, of the Archivist and of the Dreamer into entries of the ledger. */
import { promptTokens } from '@retainer/mind/assemble/request-size';
import type { Usage } from '@retainer/mind/request/model-request';
import type { ArchiveEvent } from '@retainer/mind/archive/event';
import type { CycleEvent } from '@retainer/mind/cycle/event';
import type { DreamEvent } from '@retainer/mind/archive/dream-event';
import { noUsage, totalTokens } from '@retainer/mind/cycle/state';
import { nothing, type Amounts, type Spending } from '@retainer/mind/gate/budget/budget';

/** US dollars; undefined when the price of the model is unknown. */
export type CostUsd = (model: string, usage: Usage) => number | undefined;

type Failure = Extract<CycleEvent, { kind: 'ModelFailed' }>['failure'];

/** Whether the provider may have worked, and may charge for it, although no answer came. */
const mayBeCharged: Readonly<Record<Failure['kind'], boolean>> = {
  Network: true,
  Timeout: true,
  MalformedAnswer: true,
  Cancelled: true,
  RateLimited: false,
  Overloaded: false,
  Authentication: false,
  InvalidRequest: false,
  BudgetUsedUp: false,
  Misconfigured: false,
};

/** @param atMs  of the input that the event belongs to */
export function spendingOf(cycleId: string, event: CycleEvent, atMs: number, costUsd: CostUsd): Spending | undefined {
  switch (event.kind) {
    case 'CycleStarted':
      return event.spec.ownTime === true ? { kind: 'OwnCycleBegan', cycleId, atMs } : undefined;
    case 'ModelRequested':
      return { kind: 'Asked', callId: event.callId, cycleId, atMs, atMost: atMostOf(event.request, costUsd) };
    case 'ModelAnswered': {
      const used = { tokens: totalTokens(event.answer.usage), costUsd: event.costUsd ?? 0, toolCalls: 0 };
      return { kind: 'Ended', callId: event.callId, atMs, used };
    }
    case 'ModelFailed': {
      const used = mayBeCharged[event.failure.kind] ? {} : { used: nothing };
      return { kind: 'Ended', callId: event.callId, atMs, ...used };
    }
    case 'ToolRequested':
      return { kind: 'Asked', callId: event.callId, cycleId, atMs, atMost: { ...nothing, toolCalls: 1 } };
    case 'GateScoreRequested':
    case 'ReadingRequested':
      return { kind: 'Asked', callId: event.askId, cycleId, atMs, atMost: atMostOf(event.request, costUsd) };
    case 'GateProbeRequested': {
      const { askId, model, tokens } = event;
      const usage = { ...noUsage, inputTokens: tokens };
      return {
        kind: 'Asked',
        callId: askId,
        cycleId,
        atMs,
        atMost: { tokens, costUsd: costUsd(model, usage) ?? 0, toolCalls: 0 },
      };
    }
    case 'GateScored':
    case 'GateProbed':
    case 'TextRead':
      return endOf(event.askId, atMs, event);
    case 'ToolFinished':
    case 'EffectLost':
      return { kind: 'Ended', callId: event.callId, atMs };
    case 'CycleEnded':
      return { kind: 'CycleEnded', cycleId, atMs };
    default:
      return undefined;
  }
}

/** @param atMs  see `spendingOf` */
export function archiveSpendingOf(
  runId: string,
  event: ArchiveEvent,
  atMs: number,
  costUsd: CostUsd,
): Spending | undefined {
  const cycleId = `${runId}-archive`;
  switch (event.kind) {
    case 'ArchiveAsked':
      return { kind: 'Asked', callId: event.callId, cycleId, atMs, atMost: atMostOf(event.request, costUsd) };
    case 'ArchiveAnswered':
      return endOf(event.callId, atMs, event);
    case 'ArchiveClosed':
      return { kind: 'CycleEnded', cycleId, atMs };
    default:
      return undefined;
  }
}

/** @param atMs  see `spendingOf` */
export function dreamSpendingOf(event: DreamEvent, atMs: number, costUsd: CostUsd): Spending | undefined {
  switch (event.kind) {
    case 'DreamAsked': {
      const { callId, dreamId, request } = event;
      return { kind: 'Asked', callId, cycleId: dreamId, atMs, atMost: atMostOf(request, costUsd) };
    }
    case 'DreamAnswered':
      return endOf(event.callId, atMs, event);
    case 'DreamEnded':
      return { kind: 'CycleEnded', cycleId: event.dreamId, atMs };
    default:
      return undefined;
  }
}

/** The upper bound: the whole prompt as plain input, and the longest answer. */
function atMostOf(request: Extract<CycleEvent, { kind: 'ModelRequested' }>['request'], costUsd: CostUsd): Amounts {
  const inputTokens = promptTokens(request);
  const outputTokens = request.maxOutputTokens;
  const usage = { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return { tokens: inputTokens + outputTokens, costUsd: costUsd(request.model, usage) ?? 0, toolCalls: 0 };
}

/** Without usage it may have been charged for all that was reserved. */
function endOf(callId: string, atMs: number, { usage, costUsd = 0 }: { usage?: Usage; costUsd?: number }): Spending {
  const used = usage === undefined ? {} : { used: { tokens: totalTokens(usage), costUsd, toolCalls: 0 } };
  return { kind: 'Ended', callId, atMs, ...used };
}
