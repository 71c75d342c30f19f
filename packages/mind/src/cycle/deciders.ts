import { z } from 'zod';
import { CharacterChanged } from './character-change.ts';

/**
 * The number of the deciders: of all pure code that decides a cycle or a run from its record. Runs, cycles and configurations are
 * recorded with it.
 *
 * Raise it with every release that decides an old record otherwise. Replay, resume and auditor demand equal decisions only of
 * records of their own number; what another number decided is compared, counted and kept.
 */
export const DECIDERS = 10;

/** As runs, cycles and configurations are recorded with it. */
export const deciders = z.number();

/** A program with other deciders goes on from what is recorded. */
export const DecidersChanged = z.object({ atMs: z.number(), deciders: z.number() });

/** Others decide from here on. */
export const changedHands = { DecidersChanged, CharacterChanged } as const;

/** @returns the number that decides from this event on; undefined when the event changes nothing about it */
export function decidersFrom(event: { readonly kind: string; readonly deciders?: number }): number | undefined {
  switch (event.kind) {
    case 'RunAdmitted':
    case 'CycleStarted':
    case 'ArchiveOpened':
    case 'DecidersChanged':
      return event.deciders;
    default:
      return undefined;
  }
}
