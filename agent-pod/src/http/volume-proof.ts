/**
 * Proves that the volume works: writes a file, syncs it, and reads it back.
 *
 * Caches the result for a few seconds, so that frequent probes do not wear the disk.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@retainer/contract/std/clock';

const KEPT_MS = 5_000;

export interface VolumeProof {
  /** @returns undefined if the volume works */
  fault(): Promise<string | undefined>;
}

/** @param directory  on the volume; created if absent */
export function volumeProof(directory: string, clock: Clock): VolumeProof {
  let known: { readonly atMs: number; readonly fault: Promise<string | undefined> } | undefined;
  return {
    fault: () => {
      if (known !== undefined && clock.monotonicMs() - known.atMs < KEPT_MS) return known.fault;
      known = { atMs: clock.monotonicMs(), fault: faultOf(directory) };
      return known.fault;
    },
  };
}

async function faultOf(directory: string): Promise<string | undefined> {
  const path = join(directory, 'ready');
  const text = randomUUID();
  try {
    await mkdir(directory, { recursive: true });
    await writeSynced(`${path}.tmp`, text);
    await rename(`${path}.tmp`, path);
    return (await readFile(path, 'utf8')) === text ? undefined : 'the volume returned other bytes than those written';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return `the volume cannot be written or read (${code ?? 'unknown'})`;
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o640);
  try {
    await file.writeFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
}
