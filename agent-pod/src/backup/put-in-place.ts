/**
 * Puts a restored directory in place of the data of a volume, which no agent uses meanwhile. What is there is moved aside and never
 * deleted.
 *
 * DATA/restored-MOMENT        rebuilt, verified, and complete: it got this name at its end
 * DATA/before-restore-MOMENT  what was there before
 *
 * I1  Everything is a rename in an order in which each can be told as done, so another call finishes what a crash cut off.
 * I2  The record comes last: while DATA/restored-MOMENT has it, no agent starts (`unfinished-placing.ts`), so nobody takes a volume
 *     between two records for an empty one.
 * I3  Nothing is moved over anything: what came in the way since then is moved aside, too.
 */
import { lstat, mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { syncDirectory } from './repository.ts';

const RESTORED = 'restored-';
const ASIDE = 'before-restore-';
const RECORD = 'journal';
/** In the directory of what was there before: the names that are to be placed, or were. */
const NAMES = '.to-place';
const Names = z.array(z.string());
/** Of the file system of a volume. */
const LOST_AND_FOUND = 'lost+found';

/** Where the directory for {@link putInPlace} is to be rebuilt. @param moment  sorts and is a file name */
export function restoredPath(data: string, moment: string): string {
  return join(data, `${RESTORED}${moment}`);
}

/** Where {@link putInPlace} moves what is there. It is made before anything is moved. */
export function asidePath(data: string, moment: string): string {
  return join(data, `${ASIDE}${moment}`);
}

/** Moments of directories that were rebuilt and are not in place yet, because a crash came between, oldest first. */
export async function unplacedMoments(data: string): Promise<readonly string[]> {
  const moments: string[] = [];
  for (const moment of await restoredMoments(data))
    if (await isThere(join(restoredPath(data, moment), RECORD))) moments.push(moment);
  return moments;
}

async function restoredMoments(data: string): Promise<readonly string[]> {
  const names = await readdir(data).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names
    .filter((name) => name.startsWith(RESTORED) && !name.endsWith('.restoring'))
    .map((name) => name.slice(RESTORED.length))
    .toSorted();
}

/** Takes away what a crash left of a restoring that is in place: its directory, empty. */
export async function removeEmptied(data: string): Promise<void> {
  const unplaced = new Set(await unplacedMoments(data));
  for (const moment of await restoredMoments(data)) if (!unplaced.has(moment)) await rmdir(restoredPath(data, moment));
}

/** @param working  names in the directory that stay. @returns the directory with what was there before */
export async function putInPlace(data: string, moment: string, working: readonly string[]): Promise<string> {
  const restored = restoredPath(data, moment);
  const aside = asidePath(data, moment);
  await mkdir(aside, { recursive: true, mode: 0o700 });
  const toPlace = await namesToPlace(restored, aside);
  const waiting = await readdir(restored);
  const isPlaced = (name: string): boolean => toPlace.has(name) && !waiting.includes(name);
  const stays = (name: string): boolean =>
    name === RECORD || name === LOST_AND_FOUND || name.startsWith(ASIDE) || name.startsWith(RESTORED);
  for (const name of await readdir(data))
    if (!stays(name) && !working.includes(name) && !isPlaced(name)) await moveAside(data, name, aside);
  await syncDirectory(aside);
  await syncDirectory(data);
  for (const name of waiting.filter((each) => each !== RECORD)) {
    // The lock of the rebuilding, beside the one that is held now.
    if (working.includes(name) && (await isThere(join(data, name))))
      await rm(join(restored, name), { recursive: true });
    else await rename(join(restored, name), join(data, name));
  }
  await syncDirectory(data);
  if (waiting.includes(RECORD)) {
    if (await isThere(join(data, RECORD))) await moveAside(data, RECORD, aside);
    await rename(join(restored, RECORD), join(data, RECORD));
  }
  for (const path of [aside, data]) await syncDirectory(path);
  await rmdir(restored);
  await rm(join(aside, NAMES), { force: true });
  await syncDirectory(data);
  return aside;
}

/** As they were before the first of them was moved. */
async function namesToPlace(restored: string, aside: string): Promise<ReadonlySet<string>> {
  const file = join(aside, NAMES);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text !== undefined) return new Set(Names.parse(JSON.parse(text)));
  const names = await readdir(restored);
  await writeFile(`${file}.tmp`, JSON.stringify(names), { flush: true });
  await rename(`${file}.tmp`, file);
  await syncDirectory(aside);
  return new Set(names);
}

/** Under its name, or with a number where an earlier thing has that. */
async function moveAside(data: string, name: string, aside: string): Promise<void> {
  let path = join(aside, name);
  for (let number = 2; await isThere(path); number += 1) path = join(aside, `${name}-${number}`);
  await rename(join(data, name), path);
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
