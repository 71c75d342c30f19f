/**
 * Says when to dream: soon after a run is archived, once in each interval, and when a person wants it.
 *
 * A run that is archived wakes it only at rest. A busy agent dreams by its interval beside its work: each pass is one append, and what
 * a run was told stands in its own record.
 *
 * Source: artoo A.11 (50 ms after a run, at an interval). Differs: never at the end of the process, where a model would be asked while
 * the record is being closed.
 */
import type { Clock } from '@retainer/contract/std/clock';
import type { AgentRuntime } from '../loop/agent-runtime.ts';
import { rungWithin } from '../loop/bell.ts';
import type { Component } from '../ports/component.ts';

/** A run may be followed by another one at once. Source: artoo A.11. */
export const DREAM_DELAY_MS = 50;

export interface DreamerOptions {
  readonly clock: Clock;
  readonly runtime: Pick<AgentRuntime, 'dream' | 'dreamCause' | 'dreamBell'>;
  readonly intervalMs: number;
}

export function dreamer({ clock, runtime, intervalMs }: DreamerOptions): Component {
  return {
    name: 'dreamer',
    restart: 'Permanent',
    run: async (signal) => {
      let lastMs = clock.monotonicMs();
      while (!signal.aborted) {
        const isRung = await rungWithin(runtime.dreamBell, lastMs + intervalMs - clock.monotonicMs(), {
          clock,
          signal,
        });
        // An aborted sleep rejects; the loop's condition ends it.
        if (isRung) await clock.sleep(DREAM_DELAY_MS, signal).catch(() => undefined);
        if (signal.aborted) return;
        const cause = runtime.dreamCause() ?? (isRung ? undefined : 'Interval');
        if (!isRung) lastMs = clock.monotonicMs();
        if (cause !== undefined) await runtime.dream(cause);
      }
    },
  };
}
