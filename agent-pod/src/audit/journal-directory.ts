/** Lists stores and segments below a journal's directory. Read only. Names outside the format are ignored. */
import { readdir, stat } from 'node:fs/promises';
import { reservedNames } from '@retainer/journal/stores';
import type { SegmentTrace } from './store-watch.ts';

/** Far more than an agent has. A directory with more is no journal, and must not fill memory or metrics. */
export const STORES_MAX = 64;

const storePattern = /^[a-z][a-z0-9-]{0,47}$/;
const segmentPattern = /^(\d{4}-\d\d-\d\d)\.(\d{3,6})(?:-(\d{2,4}))?\.jsonl$/;

/**
 * The journal's own store comes first, because its epochs bound those of all others. The agent's configurations come last,
 * because each is written before the decisions under it.
 */
export async function storesIn(directory: string): Promise<readonly string[]> {
  const names = await namesIn(directory);
  return names
    .filter((name) => storePattern.test(name) && !reservedNames.includes(name))
    .toSorted((a, b) => rank(a) - rank(b));
}

function rank(store: string): number {
  return ['system', undefined, 'agent'].indexOf(store === 'system' || store === 'agent' ? store : undefined);
}

/** In writing order: day, number, part. */
export async function segmentsIn(storeDirectory: string): Promise<readonly string[]> {
  const keyed = (await namesIn(storeDirectory)).flatMap((name) => {
    const found = segmentPattern.exec(name);
    return found === null ? [] : [{ name, key: [found[1] ?? '', pad(found[2]), pad(found[3])].join('.') }];
  });
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ name }) => name);
}

function pad(digits = '0'): string {
  return digits.padStart(6, '0');
}

export async function traceOf(storeDirectory: string, file: string): Promise<SegmentTrace | undefined> {
  try {
    const { size, mtimeMs, ctimeMs, ino } = await stat(`${storeDirectory}/${file}`);
    return { file, sizeBytes: size, modifiedMs: mtimeMs, changedMs: ctimeMs, inode: ino };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** A directory that does not exist is empty. */
async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory)).toSorted();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';
}
