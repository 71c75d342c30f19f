/** The timers of a run: the nearest one, and the input when its moment comes. */
import { deadlineOf } from './deadline.ts';
import { endsDueMs } from './ends.ts';
import type { RunInput } from './event.ts';
import { reportDueMs } from './report.ts';
import { hasResult, isEnding, unread, type RunState } from './state.ts';

export interface RunTimer {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly input: (atMs: number) => RunInput;
}

/** @param messageWaitMs  how long a message waits for its `MessageReceived`, where it is not passed inline */
export function nextRunTimer(state: RunState, messageWaitMs: number): RunTimer | undefined {
  const timers = [
    ...messageTimers(state, messageWaitMs),
    ...questionTimer(state),
    ...deadlineTimer(state),
    ...retryTimers(state),
    ...reportTimer(state),
    ...endsTimer(state),
  ];
  return timers.toSorted((a, b) => a.atMs - b.atMs)[0];
}

function messageTimers(state: RunState, waitMs: number): readonly RunTimer[] {
  return unread(state).map(({ id, atMs }) => ({
    atMs: atMs + waitMs,
    input: (now) => ({ kind: 'MessageReceived', atMs: now, messageId: id }),
  }));
}

function questionTimer(state: RunState): readonly RunTimer[] {
  const { question } = state;
  if (question?.expiresAtMs === undefined || hasResult(state)) return [];
  const { questionId, expiresAtMs } = question;
  return [{ atMs: expiresAtMs, input: (now) => ({ kind: 'QuestionExpired', atMs: now, questionId }) }];
}

function retryTimers(state: RunState): readonly RunTimer[] {
  if (isEnding(state)) return [];
  return [...state.retries.values()].map(({ cycleId, dueAtMs }) => ({
    atMs: dueAtMs,
    input: (now) => ({ kind: 'RetryDue', atMs: now, cycleId }),
  }));
}

function reportTimer(state: RunState): readonly RunTimer[] {
  const atMs = reportDueMs(state);
  return atMs === undefined ? [] : [{ atMs, input: (now) => ({ kind: 'ReportOverdue', atMs: now }) }];
}

function endsTimer(state: RunState): readonly RunTimer[] {
  const atMs = endsDueMs(state);
  return atMs === undefined ? [] : [{ atMs, input: (now) => ({ kind: 'EndsOverdue', atMs: now }) }];
}

function deadlineTimer(state: RunState): readonly RunTimer[] {
  if (hasResult(state)) return [];
  const atMs = deadlineOf(state);
  return Number.isFinite(atMs) ? [{ atMs, input: (now) => ({ kind: 'DeadlinePassed', atMs: now }) }] : [];
}
