/**
 * Takes the journal's work up again once a full volume has space.
 *
 * Only a full volume is left this way. After any other storage error nobody knows what is on the disk: that takes a new start,
 * and a read-only volume takes a person. What the ballast alone left free is not enough: work that is taken up in it would
 * stop again at once, so the volume must first be below the level at which it is read-only.
 *
 * Source: reliability-security 1 (first storage error), 7: work resumes within 5 s after space returns.
 */
import type { Clock } from '@retainer/contract/std/clock';
import type { Journal } from '@retainer/journal/journal';
import type { Component } from '../loop/supervisor.ts';
import { usedRatio, volumeLevel, type VolumeUsage } from './volume-level.ts';

export interface ResumeWatchOptions {
  readonly clock: Clock;
  readonly journal: Pick<Journal, 'mode' | 'modeCause' | 'tryResume'>;
  /** Of the journal's volume. Rejects when it cannot be asked: the supervisor then starts the watch anew. */
  readonly usage: () => Promise<VolumeUsage>;
  /** Records are accepted again. */
  readonly onResumed: () => void;
}

/** Below 5 s with a try that opens every store anew in between. */
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
