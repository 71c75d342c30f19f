/** Reads the mounted files of `spec.workspace.seeds`. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentWorkspace } from '@retainer/contract/api/agent-workspace';
import type { SeedFile } from './seed-workspace.ts';

/** @param root  `MOUNTS.workspaceSeeds`: one directory per seed, named by its index */
export async function mountedSeeds(
  root: string,
  seeds: readonly Pick<AgentWorkspace['seeds'][number], 'directory' | 'trust'>[],
): Promise<readonly SeedFile[]> {
  const files = seeds.map(async ({ directory, trust }, place) => {
    const source = join(root, String(place));
    const keys = await keysIn(source);
    const trusted = trust !== 'Untrusted';
    return keys.map((key) => ({ path: join(directory ?? '', key), read: () => readFile(join(source, key)), trusted }));
  });
  return (await Promise.all(files)).flat();
}

/** The keys of the ConfigMap, without the link `..data` of its mount. */
async function keysIn(directory: string): Promise<readonly string[]> {
  const names = (await readdir(directory).catch(() => [])).filter((name) => !name.startsWith('..'));
  const kinds = await Promise.all(names.map((name) => stat(join(directory, name))));
  return names.filter((_, place) => kinds[place]?.isFile() === true).toSorted();
}
