/** Checks the volume every 30 s and reports changes of its level. */
import { statfs } from 'node:fs/promises';
import type { Clock } from '@retainer/contract/std/clock';
import type { Component } from '../ports/component.ts';
import { usedRatio, volumeLevel, type VolumeLevel, type VolumeUsage } from './volume-level.ts';

export interface VolumeReport {
  readonly level: VolumeLevel;
  readonly before: VolumeLevel;
  /** 0 to 1. */
  readonly usedRatio: number;
  readonly freeBytes: number;
}

export interface VolumeWatchOptions {
  readonly clock: Clock;
  /** If it rejects, the supervisor restarts the watch. */
  readonly usage: () => Promise<VolumeUsage>;
  /** Called at the first check, and on every change. */
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

/** @param path  any path on the volume */
export async function volumeUsage(path: string): Promise<VolumeUsage> {
  const { bsize, blocks, bfree, bavail } = await statfs(path);
  // Blocks reserved for root count neither as used nor as free.
  return { totalBytes: (blocks - (bfree - bavail)) * bsize, freeBytes: bavail * bsize };
}
