/** Connects a command to the cluster that kubectl would use. */
import { existsSync } from 'node:fs';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { connect, type ConnectionChoice } from '@retainer/kube/connect';
import { HttpsClient } from '@retainer/kube/https-client';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { ClusterEnvironment } from '../config.ts';

export interface ClusterChoice {
  /** Path of a kubeconfig file; by default from the environment. */
  readonly kubeconfig?: string;
  /** One of its contexts; by default its current one. */
  readonly context?: string;
}

export interface ConnectedCluster {
  readonly client: HttpsClient;
  readonly address: string;
  /** The context's namespace, for a command that names none. */
  readonly namespace: string;
  /** What the client was made of, for connections of another kind. */
  readonly choice: ConnectionChoice;
}

/**
 * No request is sent yet.
 *
 * @param version  of this program: the API server's log shows it
 * @returns        without a usable kubeconfig, the fault and its remedy
 */
export async function connectCluster(
  { kubeconfig, context }: ClusterChoice,
  { kubeconfigs, service, proxies }: ClusterEnvironment,
  version: string,
): Promise<Result<ConnectedCluster, string>> {
  const named = kubeconfig === undefined ? kubeconfigs : [kubeconfig];
  // kubectl ignores files that do not exist.
  const paths = kubeconfig === undefined ? named.filter((path) => existsSync(path)) : named;
  const isInPod = paths.length === 0 && service !== undefined;
  if (paths.length === 0 && !isInPod)
    return err(`no kubeconfig at ${named.join(', ')}: give one with --kubeconfig FILE, or set KUBECONFIG`);
  const choice = { service: isInPod ? service : undefined, kubeconfig: { paths, contextName: context, proxies } };
  try {
    const connection = await connect(choice);
    const client = new HttpsClient({ connection, clock: systemClock, userAgent: `retainer-cli/${version}` });
    return ok({ client, address: connection.server.origin, namespace: connection.namespace, choice });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return err(`${paths.join(', ')} cannot be used: ${reason}`);
  }
}
