/** The existing files that a cycle may change: those that people name, and those that its run wrote. */
import type { Glob } from '../glob.ts';
import { namedFiles } from './named-by-people.ts';
import type { ReadSoFar } from './read-item.ts';

export interface FreeFiles {
  readonly paths: ReadonlySet<string>;
  readonly globs: readonly Glob[];
}

export function ownAndNamed({ asked = '', written = [] }: Pick<ReadSoFar, 'asked' | 'written'>): FreeFiles {
  const { paths, globs } = namedFiles(asked);
  return { paths: new Set([...paths, ...written]), globs };
}

export function isFree(path: string, { paths, globs }: FreeFiles): boolean {
  return paths.has(path) || globs.some((glob) => glob.matches(path));
}
