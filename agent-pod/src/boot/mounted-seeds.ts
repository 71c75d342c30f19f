/** Reads the mounted files of `spec.workspace.seeds`. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface MountedFile {
  /** Relative to the workspace. */
  readonly path: string;
  readonly read: () => Promise<Uint8Array>;
}

/** @param root  `MOUNTS.workspaceSeeds`: one directory per seed, named by its index */
export async function mountedSeeds(
  root: string,
  seeds: readonly { readonly directory?: string | undefined }[],
): Promise<readonly MountedFile[]> {
  const files = seeds.map(async ({ directory }, place) => {
    const source = join(root, String(place));
    const keys = await keysIn(source);
    return keys.map((key) => ({ path: join(directory ?? '', key), read: () => readFile(join(source, key)) }));
  });
  return (await Promise.all(files)).flat();
}

/** The keys of the ConfigMap, without the link `..data` of its mount. */
async function keysIn(directory: string): Promise<readonly string[]> {
  const names = (await readdir(directory).catch(() => [])).filter((name) => !name.startsWith('..'));
  const kinds = await Promise.all(names.map((name) => stat(join(directory, name))));
  return names.filter((_, place) => kinds[place]?.isFile() === true).toSorted();
}
