/** What a run that goes on after a restart still has to read or to be answered. Pure. */
import type { BusMessage } from '@retainer/contract/wire/bus/envelope';
import { received, sent, type RunState } from '@retainer/mind/run/state';

/** How a run goes on. */
export interface Resumption {
  /** Whether the record holds a cycle. */
  readonly hasCycle: (cycleId: string) => boolean;
  /** A person lets it go on under another character. */
  readonly isAllowed: boolean;
  /** See `drivenToMs`. */
  readonly drivenToMs: number;
}

/** When another version recorded the end, the record lacks the consequences of its last message. The message is read again. */
export function withEndUnread(state: RunState): RunState {
  if (state.concluded !== undefined) return state;
  const isLast = ({ type }: BusMessage): boolean => type === 'FinalResult' || type === 'TaskAbort';
  return { ...state, messages: state.messages.map((it) => (isLast(it.message) ? { ...it, isRead: false } : it)) };
}

export function unansweredReads(state: RunState): readonly BusMessage[] {
  const answered = new Set(sent(state, 'MemoryResponse').map((it) => it.causationId));
  return [
    ...received(state, 'MemoryWrite').filter((it) => !state.remembered.has(it.id)),
    ...received(state, 'MemoryRead').filter((it) => !answered.has(it.id)),
  ];
}
