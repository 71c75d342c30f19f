import type { Connection } from './connection.ts';
import { connectKubeconfig, type KubeconfigChoice } from './connect-kubeconfig.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a program's environment says about the API server; read by its `config.ts`. */
export interface ConnectionChoice {
  /** `KUBERNETES_SERVICE_HOST` and `_PORT`: given to every pod. */
  readonly service?: ServiceAddress | undefined;
  readonly kubeconfig: KubeconfigChoice;
}

/** In a pod by its service account, elsewhere by kubeconfig. @throws with what is missing */
export function connect({ service, kubeconfig }: ConnectionChoice): Promise<Connection> {
  return service === undefined ? connectKubeconfig(kubeconfig) : connectInCluster(service);
}

/** The directory in which every pod with a service account finds its credentials. */
const SERVICE_ACCOUNT_DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount';

interface ServiceAddress {
  /** Of `KUBERNETES_SERVICE_HOST`: a name or an address, version 6 without brackets. */
  readonly host: string;
  /** Of `KUBERNETES_SERVICE_PORT`. */
  readonly port: string;
}

/**
 * The API server as a pod sees it. Token and authority are read anew for every request: the kubelet replaces both.
 *
 * @param directory  holds `token`, `ca.crt` and `namespace`
 * @throws where there is no namespace file: the pod has no service-account token
 */
export async function connectInCluster(
  { host, port }: ServiceAddress,
  directory: string = SERVICE_ACCOUNT_DIRECTORY,
): Promise<Connection> {
  const read = (file: string): Promise<string> => readFile(join(directory, file), 'utf8');
  return {
    server: new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`),
    namespace: (await read('namespace')).trim(),
    credentials: async () => {
      const [token, ca] = await Promise.all([read('token'), read('ca.crt')]);
      return { headers: { authorization: `Bearer ${token.trim()}` }, tls: { ca } };
    },
  };
}
