import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection } from './connection.ts';

/** The directory in which every pod with a service account finds its credentials. */
export const SERVICE_ACCOUNT_DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface ServiceAddress {
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
