/**
 * Puts a restored directory in place of the data of a volume, which no agent uses meanwhile. What is there is moved aside and never
 * deleted.
 *
 * DATA/restored-MOMENT        rebuilt, verified, and complete: it got this name at its end
 * DATA/before-restore-MOMENT  what was there before
 *
 * I1  Everything is a rename in an order in which each can be told as done, so another call finishes what a crash cut off.
 * I2  The record comes last: until then the volume has the old one.
 */
import { mkdir, readdir, rename, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from './repository.ts';

const RESTORED = 'restored-';
const ASIDE = 'before-restore-';
const RECORD = 'journal';
/** In the directory of what was there before: all of that but the record is there. */
const MOVED = '.moved';
/** Of the file system of a volume. */
const LOST_AND_FOUND = 'lost+found';

/** Where the directory for {@link putInPlace} is to be rebuilt. @param moment  sorts and is a file name */
export function restoredPath(data: string, moment: string): string {
  return join(data, `${RESTORED}${moment}`);
}

/** Moments of directories that were rebuilt and are not in place yet, because a crash came between, oldest first. */
export async function unplacedMoments(data: string): Promise<readonly string[]> {
  const names = await readdir(data);
  return names
    .filter((name) => name.startsWith(RESTORED) && !name.endsWith('.restoring'))
    .map((name) => name.slice(RESTORED.length))
    .toSorted();
}

/** @param working  names in the directory that stay. @returns the directory with what was there before */
export async function putInPlace(data: string, moment: string, working: readonly string[]): Promise<string> {
  const restored = restoredPath(data, moment);
  const aside = join(data, `${ASIDE}${moment}`);
  await mkdir(aside, { recursive: true, mode: 0o700 });
  if (!(await isThere(join(aside, MOVED)))) {
    const stays = (name: string): boolean =>
      name === RECORD || name === LOST_AND_FOUND || name.startsWith(ASIDE) || name.startsWith(RESTORED);
    for (const name of await readdir(data))
      if (!stays(name) && !working.includes(name)) await rename(join(data, name), join(aside, name));
    await syncDirectory(data);
    await writeFile(join(aside, MOVED), '');
    await syncDirectory(aside);
  }
  for (const name of await readdir(restored)) if (name !== RECORD) await rename(join(restored, name), join(data, name));
  await syncDirectory(data);
  if (await isThere(join(restored, RECORD))) {
    if (await isThere(join(data, RECORD))) await rename(join(data, RECORD), join(aside, RECORD));
    await rename(join(restored, RECORD), join(data, RECORD));
  }
  await rmdir(restored);
  for (const path of [aside, data]) await syncDirectory(path);
  return aside;
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
