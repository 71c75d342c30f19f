/**
 * Time in which nobody drives the work: no process does, or no model can be asked. It counts neither for a run nor for its cycles;
 * a Task's deadline alone goes on.
 *
 * Source: design 7 (a run's clock; no usable provider).
 */
import { z } from 'zod';
import { parkedFields } from '../request/parked.ts';

export const standstillCauses = ['Restarted', 'Suspended', 'ClockStepped'] as const;
export type StandstillCause = (typeof standstillCauses)[number];

/** Recorded when the work goes on. `atMs` is the time after the standstill. */
export const StoodStill = z.object({
  atMs: z.number(),
  /** How far the wall clock went meanwhile. Below zero: it was set back. */
  forMs: z.number(),
  why: z.enum(standstillCauses),
});
export type StoodStill = z.infer<typeof StoodStill>;

/** Inputs of a cycle that only its clock hears. */
export const idleInputs = {
  /** The call, or the question, waits until its provider can be asked. Again with each try that fails. */
  Parked: z.object({ atMs: z.number(), callId: z.string(), ...parkedFields }),
  Unparked: z.object({ atMs: z.number(), callId: z.string() }),
  StoodStill,
} as const;

interface Clocked {
  readonly nowMs: number;
  readonly waitedMs: number;
  readonly waitingSinceMs: number | undefined;
}

/** The clock after a standstill: the time that counts is as before. */
export function stoodStill<State extends Clocked>(state: State, { atMs, forMs }: StoodStill): State {
  const { waitedMs, waitingSinceMs } = state;
  return {
    ...state,
    nowMs: atMs,
    waitedMs: waitedMs + forMs,
    waitingSinceMs: waitingSinceMs === undefined ? undefined : waitingSinceMs + forMs,
  };
}

/** Begins or ends to count the time as waited. */
export function countWaiting<State extends Clocked>(state: State, isWaiting: boolean): State {
  const { nowMs, waitedMs, waitingSinceMs } = state;
  if (isWaiting === (waitingSinceMs !== undefined)) return state;
  if (isWaiting) return { ...state, waitingSinceMs: nowMs };
  return { ...state, waitedMs: waitedMs + nowMs - (waitingSinceMs ?? nowMs), waitingSinceMs: undefined };
}
