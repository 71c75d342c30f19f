/** Tells time that does not count: a wait for a provider, and a standstill of the program or its clock. */
import type { CycleEvent } from '../cycle/event.ts';
import type { StandstillCause, StoodStill } from '../cycle/standing-still.ts';
import { parkedSentence, type Parked } from '../request/parked.ts';
import type { Actor, Telling } from '../part/story.ts';
import { renderDuration } from './figures.ts';

type Idle = Extract<CycleEvent, { kind: 'Parked' | 'Unparked' | 'StoodStill' }>;

/** In a cycle. */
export function tellIdle(event: Idle, actor: Actor): Telling {
  switch (event.kind) {
    case 'Parked':
      return { actor, tone: 'Warning', text: `is parked: ${parkedText(event)}`, live: true };
    case 'Unparked':
      return { actor, tone: 'Good', text: 'goes on: the model can be asked again', live: true };
    case 'StoodStill':
      return tellStoodStill(event);
  }
}

/** For people. */
export function parkedText(parked: Parked): string {
  return `${parkedSentence(parked)}; the clock of its run stands still`;
}

const CAUSES: Readonly<Record<StandstillCause, string>> = {
  Restarted: 'no process worked on it',
  Suspended: 'the process was stopped',
  ClockStepped: 'the clock of the machine was set',
};

export function tellStoodStill({ forMs, why }: Pick<StoodStill, 'forMs' | 'why'>): Telling {
  const way = forMs < 0 ? ' back' : '';
  const text = `${renderDuration(Math.abs(forMs))}${way} do not count: ${CAUSES[why]}`;
  return { actor: 'run', tone: 'Quiet', text, ...(Math.abs(forMs) >= TOLD_LIVE_MS ? { live: true } : {}) };
}

/** A shorter gap nobody notices. */
const TOLD_LIVE_MS = 10_000;
