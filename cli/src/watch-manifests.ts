/**
 * Waits until the manifests have changed.
 *
 * I1  No change is missed: the state to compare with is read before the load.
 * I2  A change is told when it is over: an editor writes a file in pieces, or removes it and brings another one.
 */
import { stat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Polled, because editors replace files and mounts send no events. */
const POLL_MS = 1_000;
/** Longer than an editor needs between two steps of one save. */
const SETTLE_MS = 200;
/** Files that never come to rest are read as they are, after some seconds. */
const SETTLES_MAX = 20;

export interface ManifestWatch {
  /** Resolves when the files differ from those at the last call or at the start of the watch, or when the signal comes. */
  changed(signal: AbortSignal): Promise<void>;
}

/** Create it before the manifests are loaded for the first time. */
export async function watchManifests(paths: readonly string[]): Promise<ManifestWatch> {
  let seen = await stampsOf(paths);
  return {
    changed: async (signal) => {
      while (!signal.aborted) {
        const now = await stampsOf(paths);
        if (now !== seen) {
          seen = await settled(paths, now, signal);
          return;
        }
        await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}

/** I2. @returns the state that stayed for a while */
async function settled(paths: readonly string[], first: string, signal: AbortSignal): Promise<string> {
  let last = first;
  for (let settles = 0; settles < SETTLES_MAX && !signal.aborted; settles += 1) {
    await sleep(SETTLE_MS, undefined, { signal }).catch(() => undefined);
    const now = await stampsOf(paths);
    if (now === last) break;
    last = now;
  }
  return last;
}

/** Name, size and time of change of every file. */
async function stampsOf(paths: readonly string[]): Promise<string> {
  const files = await Promise.all(paths.map(filesOf));
  const all = await Promise.all(files.flat().map(stampOf));
  return all.join('\n');
}

async function filesOf(path: string): Promise<readonly string[]> {
  const names = await readdir(path).catch(() => undefined);
  return names === undefined ? [path] : names.toSorted().map((name) => join(path, name));
}

/** A file is missing for a moment while an editor replaces it. */
async function stampOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return `${path} ${found?.size ?? 'gone'} ${found?.mtimeMs ?? 0} ${found?.ctimeMs ?? 0} ${found?.ino ?? 0}`;
}
