/** Waits until the manifests have changed. */
import { stat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Looked at rather than listened to: editors replace files, mounts send no events. */
const pollMs = 1_000;

/** Resolves when a name, size or time of change below the paths is another than at the call, or the signal comes. */
export async function manifestsChanged(paths: readonly string[], signal: AbortSignal): Promise<void> {
  const before = await stamps(paths);
  while (!signal.aborted) {
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted && (await stamps(paths)) !== before) return;
  }
}

async function stamps(paths: readonly string[]): Promise<string> {
  const files = await Promise.all(paths.map(filesOf));
  const all = await Promise.all(files.flat().map(stampOf));
  return all.join('\n');
}

async function filesOf(path: string): Promise<readonly string[]> {
  const names = await readdir(path).catch(() => undefined);
  return names === undefined ? [path] : names.toSorted().map((name) => join(path, name));
}

/** A file that is being replaced is not there for a moment. */
async function stampOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return `${path} ${found?.size ?? 'gone'} ${found?.mtimeMs ?? 0}`;
}
