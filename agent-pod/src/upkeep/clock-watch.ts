/**
 * Notices when time passed in which this process did nothing, or when the wall clock jumped: somebody set it, the machine slept, or the
 * process was stopped.
 *
 * I1  Work hears of it in the turn in which its clock follows, before anything else is recorded at the new time.
 * I2  A jump is on record as soon as the journal takes records.
 *
 * Source: reliability-security 1 (clock: more than 2 s between ticks); design 7 (a run's clock).
 */
import { STOOD_MS_MIN } from '@retainer/contract/std/clock';
import type { StandstillCause } from '@retainer/mind/cycle/standing-still';
import type { Journal } from '@retainer/journal/journal';
import { CLOCK_TICK_MS, type SteadyClock } from '../loop/steady-clock.ts';
import type { Component } from '../ports/component.ts';

export interface ClockWatchOptions {
  readonly clock: SteadyClock;
  /** Whether a late tick means that the process stood. */
  readonly tellsLate: boolean;
  /** Called at once. @param forMs  that do not count; below zero: the clock was set back */
  readonly onStandstill: (forMs: number, why: Exclude<StandstillCause, 'Restarted'>) => void;
  /**
   * @param jumpMs  advance of the wall clock over the monotonic one; negative if it was set back
   * @returns       whether the jump is on record; if not, the next tick repeats it, including later jumps
   */
  readonly onJump: (jumpMs: number) => Promise<boolean>;
}

/** A smaller difference is clock synchronisation. */
export const JUMP_MS_MIN = 2_000;

export function clockWatch({ clock, tellsLate, onStandstill, onJump }: ClockWatchOptions): Component {
  return {
    name: 'clock-watch',
    restart: 'Permanent',
    run: async (signal) => {
      let untoldMs = 0;
      while (!signal.aborted) {
        const beforeMs = clock.monotonicMs();
        // An aborted sleep rejects; the loop's condition ends it.
        await clock.sleep(CLOCK_TICK_MS, signal).catch(() => undefined);
        if (signal.aborted) return;
        const lateMs = Math.round(clock.monotonicMs() - beforeMs - CLOCK_TICK_MS);
        const jumpMs = clock.aheadMs();
        clock.follow();
        if (tellsLate && lateMs >= STOOD_MS_MIN) onStandstill(lateMs, 'Suspended');
        if (Math.abs(jumpMs) > JUMP_MS_MIN) {
          onStandstill(jumpMs, 'ClockStepped');
          untoldMs += jumpMs;
        }
        if (untoldMs !== 0 && (await onJump(untoldMs))) untoldMs = 0;
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
