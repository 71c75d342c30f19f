/**
 * Resumes the journal once a full volume has space.
 *
 * Other storage errors need a restart, since the state of the disk is unknown; a read-only volume needs a person. The space of
 * the ballast alone is too little, because the work would stop again at once. So usage must first fall below level ReadOnly.
 *
 * Source: reliability-security 1 (first storage error), 7: work resumes within 5 s after space returns.
 */
import type { Clock } from '@retainer/contract/std/clock';
import type { Journal } from '@retainer/journal/journal';
import type { Component } from '../ports/component.ts';
import { usedRatio, volumeLevel, type VolumeUsage } from './volume-level.ts';

export interface ResumeWatchOptions {
  readonly clock: Clock;
  readonly journal: Pick<Journal, 'mode' | 'modeCause' | 'tryResume'>;
  /** Of the journal's volume. If it rejects, the supervisor restarts the watch. */
  readonly usage: () => Promise<VolumeUsage>;
  /** Called when the journal accepts records again. */
  readonly onResumed: () => void;
}

/** Less than the required 5 s, including a try that reopens every store. */
export const RESUME_EVERY_MS = 2_000;

export function resumeWatch({ clock, journal, usage, onResumed }: ResumeWatchOptions): Component {
  return {
    name: 'resume-watch',
    restart: 'Permanent',
    run: async (signal) => {
      while (!signal.aborted) {
        const isFull = journal.mode === 'Degraded' && journal.modeCause === 'DiskFull';
        if (isFull && hasSpace(await usage()) && (await journal.tryResume())) onResumed();
        // An aborted sleep rejects; the loop's condition ends it.
        await clock.sleep(RESUME_EVERY_MS, signal).catch(() => undefined);
      }
    },
  };
}

function hasSpace(usage: VolumeUsage): boolean {
  return volumeLevel('ReadOnly', usedRatio(usage)) !== 'ReadOnly';
}
