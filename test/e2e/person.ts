/** Somebody at the cluster with no right but what a test grants: a service account. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { World } from './world.ts';

/** @param directory  where the kubeconfig is put. @returns its path */
export async function person(
  world: World,
  { namespace, name, directory }: { readonly namespace: string; readonly name: string; readonly directory: string },
): Promise<string> {
  await world.apply(namespace, [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } }]);
  const token = (await world.kubectl.run(['create', 'token', name, '-n', namespace])).trim();
  const config = JSON.parse(await world.kubectl.run(['config', 'view', '--raw', '--minify', '-o', 'json'])) as {
    readonly users: readonly { readonly name: string }[];
  };
  const users = config.users.map((user) => ({ name: user.name, user: { token } }));
  const file = join(directory, `${name}.kubeconfig`);
  await writeFile(file, JSON.stringify({ ...config, users }));
  return file;
}
