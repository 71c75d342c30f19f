/** Calls of the API server with the rights of a service account, and nothing of the administrator's. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
  const token = await madeToken(options);
  const config = await adminConfig<{ users: { user: object }[] }>(options);
  for (const user of config.users) user.user = { token };
  await writeFile(path, JSON.stringify(config), { mode: 0o600 });
}

/** Writes what the kubelet mounts into a pod of that account into an existing directory. @returns where the API server is */
export async function writeServiceAccountDirectory(directory: string, options: ServiceAccountOptions): Promise<URL> {
  const config = await adminConfig<{
    clusters: { cluster: { server: string; 'certificate-authority-data': string } }[];
  }>(options);
  const [named] = config.clusters;
  if (named === undefined) throw new Error(`${options.kubeconfig} names no cluster`);
  const authority = Buffer.from(named.cluster['certificate-authority-data'], 'base64');
  await writeFile(join(directory, 'token'), await madeToken(options), { mode: 0o600 });
  await writeFile(join(directory, 'ca.crt'), authority);
  await writeFile(join(directory, 'namespace'), options.namespace);
  return new URL(named.cluster.server);
}

async function madeToken({ kubeconfig, namespace, name, duration }: ServiceAccountOptions): Promise<string> {
  const args = ['create', 'token', name, '-n', namespace, '--duration', duration];
  return (await runTool('kubectl', args, { kubeconfig })).stdout.trim();
}

async function adminConfig<Config>({ kubeconfig }: ServiceAccountOptions): Promise<Config> {
  const args = ['config', 'view', '--raw', '--minify', '--flatten', '-o', 'json'];
  return JSON.parse((await runTool('kubectl', args, { kubeconfig })).stdout) as Config;
}
