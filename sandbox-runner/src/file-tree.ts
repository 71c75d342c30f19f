/** The files below a directory, found without following a link. */
import type { Stats } from 'node:fs';
import { chmod, lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

export interface TreeEntry {
  /** Relative to the root of the walk. */
  readonly path: string;
  readonly facts: Stats;
}

/** The walk failed, so its result is incomplete. */
export class TreeError extends Error {
  override readonly name = 'TreeError';
}

/** Owner's right to enter, read and change a directory. */
const OPEN_MODE = 0o700;

/**
 * Everything below `root`, each directory before its content. Entries that vanish meanwhile are omitted.
 *
 * @param depthMax  deeper directories are reported but not entered
 * @throws TreeError if a directory cannot be read: what cannot be counted cannot be bounded
 */
export async function* walkTree(root: string, depthMax = Infinity): AsyncGenerator<TreeEntry> {
  const pending: { readonly path: string; readonly depth: number }[] = [{ path: '', depth: 0 }];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for await (const name of namesIn(join(root, directory.path))) {
      const path = directory.path === '' ? name : `${directory.path}/${name}`;
      const facts = await factsOf(join(root, path));
      if (facts === undefined) continue;
      yield { path, facts };
      if (facts.isDirectory() && directory.depth + 1 < depthMax) pending.push({ path, depth: directory.depth + 1 });
    }
  }
}

async function* namesIn(directory: string): AsyncGenerator<string> {
  try {
    const opened = await opendir(directory).catch(async (error: unknown) => {
      if (!hasCode(error, ['EACCES'])) throw error;
      // Code may revoke the rights of its own user, who is also the runner's; the runner restores them.
      await chmod(directory, OPEN_MODE);
      return opendir(directory);
    });
    for await (const entry of opened) yield entry.name;
  } catch (error) {
    if (hasCode(error, ['ENOENT', 'ENOTDIR'])) return;
    throw new TreeError('a directory cannot be read', { cause: error });
  }
}

async function factsOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (hasCode(error, ['ENOENT', 'ENOTDIR'])) return undefined;
    throw new TreeError('a file cannot be examined', { cause: error });
  }
}

export function hasCode(error: unknown, codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
