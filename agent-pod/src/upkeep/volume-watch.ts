/** Looks at the volume every 30 s and tells when its level changes. */
import { statfs } from 'node:fs/promises';
import type { Clock } from '@retainer/contract/std/clock';
import type { Component } from '../loop/supervisor.ts';
import { usedRatio, volumeLevel, type VolumeLevel, type VolumeUsage } from './volume-level.ts';

export interface VolumeReport {
  readonly level: VolumeLevel;
  /** At the check before. */
  readonly before: VolumeLevel;
  /** 0 to 1. */
  readonly usedRatio: number;
  readonly freeBytes: number;
}

export interface VolumeWatchOptions {
  readonly clock: Clock;
  /** Rejects when the volume cannot be asked: the supervisor then starts the watch anew. */
  readonly usage: () => Promise<VolumeUsage>;
  /** At the first check, and whenever the level is another one. */
  readonly onLevel: (report: VolumeReport) => void;
}

/** Source: reliability-security 1. */
export const VOLUME_CHECK_EVERY_MS = 30_000;

export function volumeWatch({ clock, usage, onLevel }: VolumeWatchOptions): Component {
  return {
    name: 'volume-watch',
    restart: 'Permanent',
    run: async (signal) => {
      let told: VolumeLevel | undefined;
      while (!signal.aborted) {
        const volume = await usage();
        const before = told ?? 'Normal';
        const level = volumeLevel(before, usedRatio(volume));
        if (level !== told) onLevel({ level, before, usedRatio: usedRatio(volume), freeBytes: volume.freeBytes });
        told = level;
        // An aborted sleep rejects; the loop's condition ends it.
        await clock.sleep(VOLUME_CHECK_EVERY_MS, signal).catch(() => undefined);
      }
    },
  };
}

/** Of the volume that holds `path`. */
export async function volumeUsage(path: string): Promise<VolumeUsage> {
  const { bsize, blocks, bfree, bavail } = await statfs(path);
  // Blocks that only root may use are neither used nor free for others.
  return { totalBytes: (blocks - (bfree - bavail)) * bsize, freeBytes: bavail * bsize };
}
