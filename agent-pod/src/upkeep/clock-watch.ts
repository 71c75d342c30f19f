/**
 * Detects jumps of the wall clock: somebody set it, or the machine slept.
 *
 * A jump is harmless by itself: order is by sequence, and timers are monotonic. Its record explains the times of other records,
 * and schedules can react to it.
 *
 * Source: reliability-security 1 (clock: more than 2 s between ticks).
 */
import type { Clock } from '@retainer/contract/std/clock';
import type { Journal } from '@retainer/journal/journal';
import type { Component } from '../ports/component.ts';

export interface ClockReading {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

export interface ClockWatchOptions {
  readonly clock: Clock;
  /**
   * @param jumpMs  advance of the wall clock over the monotonic one; negative if it was set back
   * @returns       whether the jump is on record; if not, the next tick repeats it, including later jumps
   */
  readonly onJump: (jumpMs: number) => Promise<boolean>;
}

/** Shorter than the required 5 s from a jump to its record. */
export const CLOCK_TICK_MS = 2_000;
/** A smaller difference is clock synchronisation. */
export const JUMP_MS_MIN = 2_000;

/** Whole milliseconds; undefined if the clocks agree. */
export function clockJump(before: ClockReading, now: ClockReading): number | undefined {
  const jumpMs = Math.round(now.wallMs - before.wallMs - (now.monotonicMs - before.monotonicMs));
  return Math.abs(jumpMs) > JUMP_MS_MIN ? jumpMs : undefined;
}

export function clockWatch({ clock, onJump }: ClockWatchOptions): Component {
  const read = (): ClockReading => ({ wallMs: clock.nowMs(), monotonicMs: clock.monotonicMs() });
  return {
    name: 'clock-watch',
    restart: 'Permanent',
    run: async (signal) => {
      let before = read();
      while (!signal.aborted) {
        // An aborted sleep rejects; the loop's condition ends it.
        await clock.sleep(CLOCK_TICK_MS, signal).catch(() => undefined);
        if (signal.aborted) return;
        const now = read();
        const jumpMs = clockJump(before, now);
        if (jumpMs === undefined || (await onJump(jumpMs))) before = now;
      }
    },
  };
}

/** Writes the jump into the journal's own store, as soon as the journal is writable. */
export function recordClockJump(journal: Pick<Journal, 'mode' | 'append'>): ClockWatchOptions['onJump'] {
  return async (jumpMs) => {
    if (journal.mode !== 'Writable') return false;
    await journal.append([{ store: 'system', kind: 'ClockJump', principal: 'journal', payload: { jumpMs } }]);
    return true;
  };
}
