/** Folds the questions to the quarantine reader and its answers into the cycle's state. Total and pure; never decides. */
import type { CycleEvent } from './event.ts';
import { spentOn, withoutAsk } from './evolve-gate.ts';
import type { CycleState, PendingAsk } from './state.ts';

type EventOf<K extends CycleEvent['kind']> = Extract<CycleEvent, { kind: K }>;

export function readingRequested(state: CycleState, event: EventOf<'ReadingRequested'>): CycleState {
  const { askId, callId, tokens } = event;
  const ask: PendingAsk = { askId, kind: 'Read', subjectIds: [callId], tokens };
  const attempts = (state.readings[callId]?.attempts ?? 0) + 1;
  return {
    ...state,
    pendingAsks: [...state.pendingAsks, ask],
    readings: { ...state.readings, [callId]: { attempts } },
  };
}

export function textRead(state: CycleState, event: EventOf<'TextRead'>): CycleState {
  const ask = state.pendingAsks.find((it) => it.askId === event.askId);
  if (ask === undefined) return state;
  const answered = spentOn(withoutAsk(state, ask), event);
  if (!event.reading.available) return answered;
  const [callId = ''] = ask.subjectIds;
  const { attempts = 1 } = state.readings[callId] ?? {};
  const record = { attempts, reading: event.reading.reading };
  return { ...answered, readings: { ...state.readings, [callId]: record } };
}
