/**
 * Notices when the wall clock was set, or the machine slept.
 *
 * Order is by sequence and timers are monotonic, so a jump does no harm by itself: it is recorded so that times on records can
 * be read rightly, and told so that schedules can look again.
 *
 * Source: reliability-security 1 (clock: more than 2 s between ticks).
 */
import type { Clock } from '@retainer/contract/std/clock';
import type { Journal } from '@retainer/journal/journal';
import type { Component } from '../loop/supervisor.ts';

export interface ClockReading {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

export interface ClockWatchOptions {
  readonly clock: Clock;
  /**
   * Called with how far the wall clock went ahead of the monotonic one; negative when it was set back. Resolves whether the
   * jump is on record: if not, it is told again at the next tick, together with what came since.
   */
  readonly onJump: (jumpMs: number) => Promise<boolean>;
}

/** A jump is on record within this time; recording within 5 s is what row 9 asks for. */
export const CLOCK_TICK_MS = 2_000;
/** Less is a clock that is being steered, not set. */
export const JUMP_MS_MIN = 2_000;

/** Whole milliseconds; undefined when the clocks agree. */
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

/** Writes the jump into the journal's own store, as soon as it takes records. */
export function recordClockJump(journal: Pick<Journal, 'mode' | 'append'>): ClockWatchOptions['onJump'] {
  return async (jumpMs) => {
    if (journal.mode !== 'Writable') return false;
    await journal.append([{ store: 'system', kind: 'ClockJump', principal: 'journal', payload: { jumpMs } }]);
    return true;
  };
}
