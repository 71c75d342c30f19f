/** Calls of the API server with the rights of a service account, and nothing of the administrator's. */
import { writeFile } from 'node:fs/promises';
import { runTool } from '../scripts/kubernetes-tools.ts';

export interface ServiceAccountOptions {
  /** Of an administrator, who makes the token. */
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly name: string;
  /** Of the token, as `kubectl` has it: `1h`. */
  readonly duration: string;
}

/** Writes a kubeconfig with a token to `path`, readable by its owner only. */
export async function writeServiceAccountKubeconfig(path: string, options: ServiceAccountOptions): Promise<void> {
  const { kubeconfig, namespace, name, duration } = options;
  const kubectl = async (...args: readonly string[]): Promise<string> =>
    (await runTool('kubectl', args, { kubeconfig })).stdout;
  const token = await kubectl('create', 'token', name, '-n', namespace, '--duration', duration);
  const config = JSON.parse(await kubectl('config', 'view', '--raw', '--minify', '-o', 'json')) as {
    users: { user: object }[];
  };
  for (const user of config.users) user.user = { token: token.trim() };
  await writeFile(path, JSON.stringify(config), { mode: 0o600 });
}
