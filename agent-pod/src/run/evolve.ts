/** Folds one event into the run's state. Total and pure; never decides. */
import { invariant } from '@retainer/contract/std/invariant';
import { noUsage } from '../cycle/state.ts';
import type { RunEvent, RunEventOf } from './event.ts';
import type { RunState } from './state.ts';

/** The state after `event`; `state` is undefined before the first, which must be `RunAdmitted`. */
export function evolveRun(state: RunState | undefined, event: RunEvent): RunState {
  if (event.kind === 'RunAdmitted') return admitted(event);
  invariant(state !== undefined, `${event.kind} before RunAdmitted`);
  return evolveAdmitted('atMs' in event ? { ...state, nowMs: Math.max(state.nowMs, event.atMs) } : state, event);
}

function admitted(event: RunEventOf<'RunAdmitted'>): RunState {
  return {
    spec: event.spec,
    startedAtMs: event.atMs,
    nowMs: event.atMs,
    pendingCycle: undefined,
    execution: undefined,
    validation: undefined,
    criteria: [],
    usage: noUsage,
    costUsd: 0,
    isCostComplete: true,
    concluded: undefined,
    pendingDelivery: undefined,
    pendingArchive: false,
    closed: false,
  };
}

function evolveAdmitted(state: RunState, event: Exclude<RunEvent, RunEventOf<'RunAdmitted'>>): RunState {
  switch (event.kind) {
    case 'CycleRequested':
      return { ...state, pendingCycle: event.spec };
    case 'CycleAbandoned':
      return { ...state, pendingCycle: undefined };
    case 'CycleConcluded':
      return concluded(state, event);
    case 'VerdictsJudged':
      return { ...state, criteria: event.criteria };
    case 'RunConcluded':
      return { ...state, concluded: event };
    case 'DeliveryRequested':
      return { ...state, pendingDelivery: event };
    case 'Delivered':
      return { ...state, pendingDelivery: undefined };
    case 'ArchiveRequested':
      return { ...state, pendingArchive: true };
    case 'Archived':
      return { ...state, pendingArchive: false };
    case 'RunClosed':
      return { ...state, closed: true };
    case 'RunCancelled':
    case 'DeadlinePassed':
      return state;
  }
}

function concluded(state: RunState, event: RunEventOf<'CycleConcluded'>): RunState {
  const { usage } = event;
  return {
    ...state,
    pendingCycle: undefined,
    ...(event.role === 'Executor' ? { execution: event } : { validation: event }),
    usage: {
      inputTokens: state.usage.inputTokens + usage.inputTokens,
      outputTokens: state.usage.outputTokens + usage.outputTokens,
      cacheReadTokens: state.usage.cacheReadTokens + usage.cacheReadTokens,
      cacheWriteTokens: state.usage.cacheWriteTokens + usage.cacheWriteTokens,
    },
    costUsd: state.costUsd + event.costUsd,
    isCostComplete: state.isCostComplete && event.isCostComplete,
  };
}
