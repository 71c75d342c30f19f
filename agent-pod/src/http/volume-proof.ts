/**
 * Proves that the volume takes a write and gives it back: a file is written, synced and read again.
 *
 * The answer is kept for a few seconds, so that whoever asks often does not wear the disk.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@retainer/contract/std/clock';

const KEPT_MS = 5_000;

export interface VolumeProof {
  /** @returns why the volume cannot be used, or undefined where it can */
  fault(): Promise<string | undefined>;
}

/** @param directory  on the volume; made if it is not there */
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
    return (await readFile(path, 'utf8')) === text ? undefined : 'the volume gave back something else than was written';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return `the volume cannot be written and read (${code ?? 'unknown'})`;
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
