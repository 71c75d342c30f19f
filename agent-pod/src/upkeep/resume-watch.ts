/**
 * Takes the journal's work up again once a full volume has space.
 *
 * Only a full volume is left this way. After any other storage error nobody knows what is on the disk: that takes a new start,
 * and a read-only volume takes a person.
 *
 * Source: reliability-security 1.2 (first storage error), row 4 of 7: work resumes within 5 s after space returns.
 */
import type { Clock } from '@retainer/contract/std/clock';
import type { Journal } from '../journal/journal.ts';
import type { Component } from '../loop/supervisor.ts';

export interface ResumeWatchOptions {
  readonly clock: Clock;
  readonly journal: Pick<Journal, 'mode' | 'modeCause' | 'tryResume'>;
  /** Records are accepted again. */
  readonly onResumed: () => void;
}

/** Below 5 s with a try that opens every store anew in between. */
export const resumeEveryMs = 2_000;

export function resumeWatch({ clock, journal, onResumed }: ResumeWatchOptions): Component {
  return {
    name: 'resume-watch',
    restart: 'Permanent',
    run: async (signal) => {
      while (!signal.aborted) {
        if (journal.mode === 'Degraded' && journal.modeCause === 'DiskFull' && (await journal.tryResume())) onResumed();
        // An aborted sleep rejects; the loop's condition ends it.
        await clock.sleep(resumeEveryMs, signal).catch(() => undefined);
      }
    },
  };
}
