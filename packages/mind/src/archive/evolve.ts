import { invariant } from '@retainer/contract/std/invariant';
import type { ArchiveEvent, ArchiveEventOf } from './event.ts';
import type { ArchiveState } from './state.ts';

/** The state after one event. */
export function evolveArchive(state: ArchiveState | undefined, event: ArchiveEvent): ArchiveState {
  if (event.kind === 'ArchiveOpened') {
    const none = { asked: 0, lost: 0, malformed: [], hasBegun: false, isClosed: false };
    return { opened: event, deciders: event.deciders, ...none };
  }
  invariant(state !== undefined, 'an archiving begins with ArchiveOpened');
  switch (event.kind) {
    case 'DecidersChanged':
      return { ...state, deciders: event.deciders };
    case 'ArchiveBegun':
      return { ...state, hasBegun: true };
    case 'ArchiveAsked':
      return { ...state, pending: event, asked: state.asked + 1 };
    case 'ArchiveAnswered':
      return answered(state, event);
    case 'ArchiveConcluded':
      return { ...withoutPending(state), concluded: event };
    case 'ArchiveClosed':
      return { ...state, isClosed: true };
    case 'ArchiveCutShort':
    case 'ArchiveWritten':
      return state;
  }
}

function answered(state: ArchiveState, event: ArchiveEventOf<'ArchiveAnswered'>): ArchiveState {
  const { text, faults, isLost } = event;
  const step = state.pending?.step;
  const next = withoutPending(state);
  if (isLost === true) return { ...next, lost: next.lost + 1 };
  if (text === undefined) return next;
  if (step === 'Reflect') return { ...next, reflection: text };
  return faults === undefined ? next : { ...next, malformed: [...next.malformed, { text, faults }] };
}

function withoutPending(state: ArchiveState): ArchiveState {
  const { pending: _, ...rest } = state;
  return rest;
}
