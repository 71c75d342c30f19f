/** Detects inputs that come late, twice, or without cause: they change nothing and are not recorded. */
import { deadlineOf } from './deadline.ts';
import type { RunEventOf, RunInput } from './event.ts';
import { endsDueMs } from './ends.ts';
import { reportDueMs } from './report.ts';
import { hasResult, isEnding, sent, type RunState } from './state.ts';

type Table = { readonly [K in RunInput['kind']]: (state: RunState, input: RunEventOf<K>) => boolean };

const isNotAsked = (state: RunState, { questionId }: { readonly questionId: string }): boolean =>
  state.question?.questionId !== questionId || isEnding(state);

const stale: Table = {
  RunAdmitted: () => true,
  DecidersChanged: (state, { deciders }) => state.deciders === deciders,
  CharacterChanged: (state, { to }) => state.spec.characterDigest === to || isEnding(state),
  MessageReceived: ({ messages }, { messageId }) =>
    messages.find((it) => it.message.id === messageId)?.isRead !== false,
  CycleConcluded: ({ roleCycles, concluded }, { cycleId }) => {
    const roleCycle = roleCycles.get(cycleId);
    return roleCycle === undefined || roleCycle.end !== undefined || concluded !== undefined;
  },
  MemoryRecalled: (state, { messageId }) =>
    sent(state, 'MemoryResponse').some((it) => it.causationId === messageId) || isEnding(state),
  QuestionAnswered: isNotAsked,
  QuestionExpired: isNotAsked,
  WaitBegan: ({ waits, roleCycles }, { cycleId }) => waits.has(cycleId) || roleCycles.get(cycleId)?.end !== undefined,
  WaitEnded: ({ waits }, { cycleId }) => !waits.has(cycleId),
  ApprovalsAsked: ({ asked, roleCycles }, { cycleId, requests, refusals }) => {
    const known = asked.get(cycleId);
    return !roleCycles.has(cycleId) || (known?.requests === requests && known.refusals === refusals);
  },
  RunCancelled: isEnding,
  DeadlinePassed: (state, { atMs }) => hasResult(state) || atMs < deadlineOf(state),
  RetryDue: (state, { cycleId, atMs }) => isEnding(state) || atMs < (state.retries.get(cycleId)?.dueAtMs ?? Infinity),
  ReportOverdue: (state, { atMs }) => atMs < (reportDueMs(state) ?? Infinity),
  EndsOverdue: (state, { atMs }) => atMs < (endsDueMs(state) ?? Infinity),
  Delivered: ({ pendingDelivery }, { deliveryId }) => pendingDelivery?.deliveryId !== deliveryId,
  Archived: ({ pendingArchive }) => !pendingArchive,
  Remembered: ({ remembered }, { messageId }) => remembered.has(messageId),
};

export function isStale(state: RunState, input: RunInput): boolean {
  return (stale[input.kind] as (state: RunState, input: RunInput) => boolean)(state, input);
}
